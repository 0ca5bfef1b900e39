import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Folder } from '~/api/types';

/** Folders is the list of a workspace's folders. */
export interface Folders {
  /** items is undefined until loaded. */
  items: Folder[] | undefined;
  error: unknown;
  reload: () => Promise<void>;
}

/** useFolders loads a workspace's folders. */
export function useFolders(workspaceId: string): Folders {
  const { data, error, reload } = useLoad(workspaceId, (signal) =>
    api.get<{ items: Folder[] }>(`/workspaces/${workspaceId}/folders`, { signal }),
  );
  return { items: data?.items, error, reload };
}

/** childrenOf returns the folders in a folder, or in the root. */
export function childrenOf(folders: Folder[], id: string): Folder[] {
  return folders.filter(({ parentId }) => (parentId ?? '') === id);
}

/** pathTo returns a folder's ancestors, outermost first, and the folder itself. */
export function pathTo(folders: Folder[], id: string | null): Folder[] {
  const path: Folder[] = [];
  for (let at = id; at && path.length < folders.length; ) {
    const folder = folders.find((item) => item.id === at);
    if (!folder) break;
    path.unshift(folder);
    at = folder.parentId;
  }
  return path;
}

/** pathName returns a folder's name with those of its ancestors. */
export function pathName(folders: Folder[], id: string): string {
  return pathTo(folders, id)
    .map(({ name }) => name)
    .join(' / ');
}

/**
 * placesFor returns the folders that a folder can move into: all but itself and its
 * descendants.
 */
export function placesFor(folders: Folder[], moving: string | undefined): Folder[] {
  return folders
    .filter(({ id }) => !pathTo(folders, id).some((above) => above.id === moving))
    .sort((a, b) => pathName(folders, a.id).localeCompare(pathName(folders, b.id)));
}
