// Which kind of AI provider answers a message that names no model, by workspace.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { api } from '~/api/client';
import type { Provider, ProviderKind } from '~/api/types';

/** ProviderList is the response of GET /workspaces/:wid/ai-providers. */
export interface ProviderList {
  items: Provider[];
  /** platform has the providers of the installation, which every workspace may use. */
  platform: Pick<Provider, 'id' | 'kind' | 'name' | 'defaultModel' | 'isDefault'>[];
  /** defaultKind is null if nothing answers. */
  defaultKind: ProviderKind | null;
}

const kinds = signal<Record<string, ProviderKind | null>>({});

/** defaultKindOf returns what was last loaded, undefined before that. */
export function defaultKindOf(workspaceId: string): ProviderKind | null | undefined {
  return kinds.value[workspaceId];
}

export function keepDefaultKind(workspaceId: string, { defaultKind }: ProviderList): void {
  if (kinds.peek()[workspaceId] !== defaultKind) kinds.value = { ...kinds.peek(), [workspaceId]: defaultKind };
}

/** useDefaultKind loads the kind of a workspace. It is undefined until it is known. */
export function useDefaultKind(workspaceId: string): ProviderKind | null | undefined {
  useEffect(() => {
    void api.get<ProviderList>(`/workspaces/${workspaceId}/ai-providers`).then(
      (list) => keepDefaultKind(workspaceId, list),
      () => {}, // the name of the default model is shown instead
    );
  }, [workspaceId]);
  return defaultKindOf(workspaceId);
}
