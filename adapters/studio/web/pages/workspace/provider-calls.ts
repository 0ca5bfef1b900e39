// API calls for AI providers, and descriptions of their failures.

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

/** platform stands for the id of a workspace where the providers are the installation's. */
export const platform = 'platform';

/** providersOf returns the address of a workspace's providers, or of the platform's. */
export function providersOf(workspaceId: string): string {
  return workspaceId === platform ? '/admin/ai-providers' : `/workspaces/${workspaceId}/ai-providers`;
}

export async function modelsOf(workspaceId: string, providerId: string, signal?: AbortSignal): Promise<Model[]> {
  return (await api.get<{ items: Model[] }>(`${providersOf(workspaceId)}/${providerId}/models`, { signal })).items;
}

export interface Found {
  provider: Provider;
  models: Model[];
}

/**
 * tryOut adds a provider and lists its models. If that fails, it removes the provider, so
 * that the workspace does not use it.
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

/** takeBack removes a provider added on trial. */
export async function takeBack(workspaceId: string, provider: Provider): Promise<void> {
  await api.delete(`${providersOf(workspaceId)}/${provider.id}`).catch(() => {});
}

/** isForbidden reports whether the operator forbids private addresses, such as localhost. */
export function isForbidden(failure: unknown): boolean {
  const message = (failure as { message?: string } | null | undefined)?.message ?? '';
  return /it is a private address|it is this machine|^the address of .* is not allowed/.test(message);
}

/** whyNot explains why a provider does not work and what to do. */
export function whyNot(failure: unknown): string {
  return isForbidden(failure) ? t.workspace.providers.forbidden : inWords(failure);
}
