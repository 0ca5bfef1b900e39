import { useRef, useState } from 'preact/hooks';

import { type ApiError, api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Page, Project } from '~/api/types';
import { complain } from '~/ui';
import type { Place } from './place';

// size is the page size. It fills whole rows at every width.
const size = 24;

/** Projects is the list of projects of a place, as far as loaded. */
export interface Projects {
  /** items is undefined until the first page is loaded. */
  items: Project[] | undefined;
  error: ApiError | undefined;
  loading: boolean;
  /** more loads the next page; undefined after the last. */
  more: (() => Promise<void>) | undefined;
  loadingMore: boolean;
  reload: () => Promise<void>;
  /** put adds or updates a project, drop removes one. */
  put: (project: Project) => void;
  drop: (id: string) => void;
}

/** useProjects loads the projects of a place. A search covers all folders. */
export function useProjects(workspaceId: string, place: Place): Projects {
  const everywhere = place.q !== '' || place.visibility !== '' || place.trash;
  const query = {
    q: place.q,
    visibility: place.visibility,
    deleted: place.trash || undefined,
    folderId: everywhere ? undefined : place.folder || 'none',
    limit: size,
  };
  const key = JSON.stringify([workspaceId, query]);
  const list = (cursor?: string, signal?: AbortSignal) =>
    api.get<Page<Project>>(`/workspaces/${workspaceId}/projects`, { query: { ...query, cursor }, signal });
  const { data, error, loading, reload, set } = useLoad(key, (signal) => list(undefined, signal));
  const [loadingMore, setLoadingMore] = useState(false);
  const current = useRef(key);
  current.current = key;

  // Keep the previous results while a search runs.
  const scope = JSON.stringify([workspaceId, place.trash]);
  const kept = useRef<{ scope: string; data: Page<Project> }>(undefined);
  if (data) kept.current = { scope, data };
  const shown = data ?? (everywhere && kept.current?.scope === scope ? kept.current.data : undefined);

  const more = async () => {
    setLoadingMore(true);
    try {
      const page = await list(data!.nextCursor!);
      if (current.current === key)
        set(({ items }) => ({
          items: [...items, ...page.items.filter(({ id }) => !items.some((item) => item.id === id))],
          nextCursor: page.nextCursor,
        }));
    } catch (failure) {
      complain(failure);
    } finally {
      setLoadingMore(false);
    }
  };
  return {
    items: shown?.items,
    error,
    loading,
    loadingMore,
    reload,
    more: data?.nextCursor ? more : undefined,
    put: (project) =>
      set((page) => ({ ...page, items: page.items.map((item) => (item.id === project.id ? project : item)) })),
    drop: (id) => set((page) => ({ ...page, items: page.items.filter((item) => item.id !== id) })),
  };
}
