import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Member } from '~/api/types';

/** useNames returns the names of a workspace's members by user id, undefined until loaded. */
export function useNames(workspace: string): Map<string, string> | undefined {
  const { data } = useLoad(workspace, (signal) =>
    api.get<{ items: Member[] }>(`/workspaces/${workspace}/members`, { signal }),
  );
  return data && new Map(data.items.map(({ userId, displayName, email }) => [userId, displayName || email]));
}
