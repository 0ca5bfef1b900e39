// The calls around AI providers, and their failures in words.

import { api } from '~/api/client';
import type { Model, Provider, ProviderKind } from '~/api/types';
import { t } from '~/text';
import { inWords } from '~/ui';

export interface ProviderInput {
  kind: ProviderKind;
  name: string;
  baseUrl?: string;
  apiKey?: string;
  defaultModel?: string;
  isDefault?: boolean;
}

/** providersOf is the address of a workspace's providers. */
export function providersOf(workspaceId: string): string {
  return `/workspaces/${workspaceId}/ai-providers`;
}

/** modelsOf lists the models of a provider. */
export async function modelsOf(workspaceId: string, providerId: string, signal?: AbortSignal): Promise<Model[]> {
  return (await api.get<{ items: Model[] }>(`${providersOf(workspaceId)}/${providerId}/models`, { signal })).items;
}

export interface Found {
  provider: Provider;
  models: Model[];
}

/**
 * tryOut adds a provider and asks for its models. One that does not answer is taken
 * away again, so that nothing is left that the workspace would then use.
 */
export async function tryOut(workspaceId: string, input: ProviderInput): Promise<Found> {
  const provider = await api.post<Provider>(providersOf(workspaceId), input);
  try {
    return { provider, models: await modelsOf(workspaceId, provider.id) };
  } catch (error) {
    await takeBack(workspaceId, provider);
    throw error;
  }
}

/** takeBack removes a provider that was only tried. */
export async function takeBack(workspaceId: string, provider: Provider): Promise<void> {
  await api.delete(`${providersOf(workspaceId)}/${provider.id}`).catch(() => {});
}

/** isForbidden reports whether the operator forbids private addresses, such as the machine's own. */
export function isForbidden(failure: unknown): boolean {
  const message = (failure as { message?: string } | null | undefined)?.message ?? '';
  return /it is a private address|it is this machine|^the address of .* is not allowed/.test(message);
}

/** whyNot returns why a provider cannot be used, and what to do. */
export function whyNot(failure: unknown): string {
  return isForbidden(failure) ? t.workspace.providers.forbidden : inWords(failure);
}
