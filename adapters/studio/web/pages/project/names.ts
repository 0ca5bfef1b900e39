import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Member } from '~/api/types';

/** useNames returns what the members of a workspace are called, by their ids; undefined until that is known. */
export function useNames(workspace: string): Map<string, string> | undefined {
  const { data } = useLoad(workspace, (signal) =>
    api.get<{ items: Member[] }>(`/workspaces/${workspace}/members`, { signal }),
  );
  return data && new Map(data.items.map(({ userId, displayName, email }) => [userId, displayName || email]));
}
