// Actions on files, for the tree and the command palette.

import { ApiError, api, filePath } from '~/api/client';
import type { FileEntry } from '~/api/types';
import { t } from '~/text';
import { ask, complain, say } from '~/ui';
import type { Desk } from '../desk';
import { nameOf } from './model';

interface Result {
  path: string;
  status: 'ok' | 'error';
  error?: string;
  message?: string;
}

type Operation = { op: 'rename'; from: string; to: string } | { op: 'delete'; path: string };

// bulk applies operations in one version. It throws the first failure.
async function bulk(projectId: string, operations: Operation[], message: string): Promise<void> {
  const { results } = await api.post<{ results: Result[] }>(`/projects/${projectId}/files/bulk`, {
    operations,
    message,
  });
  const failed = results.find(({ status }) => status === 'error');
  if (failed) throw new ApiError(409, failed.error ?? 'conflict', failed.message ?? '');
}

/** create creates an empty file and opens it. */
export async function create(desk: Desk, path: string): Promise<void> {
  try {
    await api.put<FileEntry>(filePath(desk.store.id, path), new Blob([]), { headers: { 'If-None-Match': '*' } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 412) throw new ApiError(409, 'conflict', t.code.exists(path));
    throw error;
  }
  await desk.store.reloadFiles();
  desk.show({ path });
}

/** move renames a file or folder and reports whether it succeeded. */
export async function move(desk: Desk, from: string, to: string): Promise<boolean> {
  if (from === to) return true;
  const taken = desk.store.files.peek().some(({ path }) => path === to);
  if (
    taken &&
    !(await ask({ title: t.code.replaceTitle, text: t.code.replaceText(to), confirm: t.code.replace, danger: true }))
  )
    return false;
  await desk.moves(from, to, async () => {
    await bulk(desk.store.id, [{ op: 'rename', from, to }], t.code.renamed(from, to));
    if (taken) desk.removed(to);
  });
  await desk.store.reloadFiles();
  desk.reveal(to);
  desk.store.versionsChanged();
  return true;
}

/** remove deletes a file or folder after confirmation. */
export async function remove(desk: Desk, path: string, isFolder: boolean): Promise<void> {
  const count = desk.store.files.peek().filter((entry) => entry.path.startsWith(`${path}/`)).length;
  const text = isFolder ? t.code.deleteFolderText(path, count) : t.code.deleteText(path);
  if (!(await ask({ title: t.code.deleteTitle(nameOf(path)), text, confirm: t.code.delete, danger: true }))) return;
  try {
    desk.removed(path);
    await bulk(desk.store.id, [{ op: 'delete', path }], t.code.deleted(path));
    await desk.store.reloadFiles();
    desk.store.versionsChanged();
    say(t.code.gone(path));
  } catch (error) {
    complain(error);
  }
}
