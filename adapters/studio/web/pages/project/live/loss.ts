// The reason why a project is no longer accessible.

import { ApiError, api } from '~/api/client';
import type { Page, Project } from '~/api/types';
import { reloadWorkspaces, workspaces } from '~/app/session';

/**
 * Loss is the reason: the project is in the trash, the user has left the workspace, or the
 * project no longer exists for the user. null means no loss.
 */
export type Loss = 'deleted' | 'left' | 'gone' | null;

/** lossOf determines the reason. If the session has expired, it opens the sign-in page. */
export async function lossOf({ id, workspaceId, name }: Project, signal: AbortSignal): Promise<Loss> {
  try {
    await api.get<Project>(`/projects/${id}`, { signal });
    return null;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
  await reloadWorkspaces();
  if (!workspaces.value.some((each) => each.id === workspaceId)) return 'left';
  const trash = await api.get<Page<Project>>(`/workspaces/${workspaceId}/projects`, {
    query: { deleted: true, q: name, limit: 100 },
    signal,
  });
  return trash.items.some((each) => each.id === id) ? 'deleted' : 'gone';
}
