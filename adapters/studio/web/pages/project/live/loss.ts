// Why a project cannot be seen any more.

import { ApiError, api } from '~/api/client';
import type { Page, Project } from '~/api/types';
import { reloadWorkspaces, workspaces } from '~/app/session';

/**
 * Loss says why: the project is in its workspace's trash, the reader is no longer in
 * the workspace, or the project is not there for the reader any more. null means no loss.
 */
export type Loss = 'deleted' | 'left' | 'gone' | null;

/** lossOf finds out why the reader lost a project. After an ended session it opens the sign-in page. */
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
