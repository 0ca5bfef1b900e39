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

export function keepDefaultKind(workspaceId: string, { defaultKind }: Pick<ProviderList, 'defaultKind'>): void {
  if (kinds.peek()[workspaceId] !== defaultKind) kinds.value = { ...kinds.peek(), [workspaceId]: defaultKind };
}

// loads are the requests under way, by workspace: several parts of a page ask at once.
const loads = new Map<string, Promise<void>>();

function load(workspaceId: string): Promise<void> {
  return api.get<ProviderList>(`/workspaces/${workspaceId}/ai-providers`).then(
    (list) => keepDefaultKind(workspaceId, list),
    // What was known stays; otherwise the name of the default model is shown.
    () => keepDefaultKind(workspaceId, { defaultKind: defaultKindOf(workspaceId) ?? null }),
  );
}

/** useDefaultKind loads the kind of a workspace. It is undefined until it is known. */
export function useDefaultKind(workspaceId: string): ProviderKind | null | undefined {
  useEffect(() => {
    if (loads.has(workspaceId)) return;
    loads.set(
      workspaceId,
      load(workspaceId).finally(() => loads.delete(workspaceId)),
    );
  }, [workspaceId]);
  return defaultKindOf(workspaceId);
}
