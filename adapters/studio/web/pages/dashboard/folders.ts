import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Folder } from '~/api/types';

/** Folders are those of a workspace. */
export interface Folders {
  /** items are undefined until they are there. */
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

/** pathTo returns the folders that lead to one, itself at the end. */
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

/** pathName names a folder with those around it. */
export function pathName(folders: Folder[], id: string): string {
  return pathTo(folders, id)
    .map(({ name }) => name)
    .join(' / ');
}

/** placesFor returns the folders that another one can go into: not itself, nor one that is in it. */
export function placesFor(folders: Folder[], moving: string | undefined): Folder[] {
  return folders
    .filter(({ id }) => !pathTo(folders, id).some((above) => above.id === moving))
    .sort((a, b) => pathName(folders, a.id).localeCompare(pathName(folders, b.id)));
}
