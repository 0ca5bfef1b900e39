// Uploads of local files into a folder, by button or drop.

import { signal } from '@preact/signals';

import { ApiError, filePath, request } from '~/api/client';
import { t } from '~/text';
import { ask, complain, inWords, say } from '~/ui';
import type { Desk } from '../desk';

/** Arrival is a file to upload, with its path below the folder. */
export interface Arrival {
  path: string;
  file: File;
}

/** Progress is the state of an upload. */
export interface Progress {
  done: number;
  of: number;
  stop: () => void;
}

export const progress = signal<Progress | null>(null);

// The number of parallel uploads.
const lanes = 3;

// Files that users never upload on purpose.
const unwanted = /(?:^|\/)(?:node_modules|\.git|\.DS_Store|Thumbs\.db)(?:\/|$)/;

/** upload uploads files into a folder ('' is the root) and shows failures. */
export async function upload(desk: Desk, folder: string, arrivals: Arrival[]): Promise<void> {
  const wanted = arrivals
    .filter(({ path }) => !unwanted.test(path))
    .map(({ path, file }) => ({ path: folder ? `${folder}/${path}` : path, file }));
  if (wanted.length === 0 || progress.peek()) return;
  const known = new Set(desk.store.files.peek().map(({ path }) => path));
  const taken = wanted.filter(({ path }) => known.has(path));
  if (
    taken.length > 0 &&
    !(await ask({
      title: t.code.replaceTitle,
      text: t.code.replaceMany(taken.length, taken[0]!.path),
      confirm: t.code.replace,
      danger: true,
    }))
  )
    return;
  const stopped = new AbortController();
  const failures: string[] = [];
  progress.value = { done: 0, of: wanted.length, stop: () => stopped.abort() };
  const queue = [...wanted];
  const lane = async () => {
    for (let next = queue.shift(); next && !stopped.signal.aborted; next = queue.shift()) {
      try {
        await request('PUT', filePath(desk.store.id, next.path), next.file, {
          headers: { 'Content-Type': 'application/octet-stream' },
          signal: stopped.signal,
        });
        progress.value = { ...progress.peek()!, done: progress.peek()!.done + 1 };
      } catch (error) {
        if (!stopped.signal.aborted) failures.push(`${next.path}: ${wordsFor(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const done = progress.peek()!.done;
  progress.value = null;
  if (failures.length > 0) complain(new Error(t.code.uploadFailed(failures.length, failures.slice(0, 3).join('\n'))));
  else say(t.code.uploaded(done));
  await desk.store.reloadFiles().catch(complain);
  if (folder) desk.reveal(`${folder}/x`);
}

function wordsFor(error: unknown): string {
  return error instanceof ApiError && error.status === 413 ? t.code.tooLarge : inWords(error);
}

/** chosen returns the files of a file input, which may have selected a folder. */
export function chosen(input: HTMLInputElement): Arrival[] {
  return [...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** dropped returns the dropped files, including those in folders. */
export async function dropped(data: DataTransfer): Promise<Arrival[]> {
  const entries = [...data.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  return (await Promise.all(entries.map((entry) => within(entry)))).flat();
}

async function within(entry: FileSystemEntry): Promise<Arrival[]> {
  const path = entry.fullPath.replace(/^\//, '');
  if (unwanted.test(path)) return [];
  if (entry.isFile)
    return [
      {
        path,
        file: await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)),
      },
    ];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: FileSystemEntry[] = [];
  // readEntries returns batches; the last one is empty.
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) break;
    found.push(...portion);
  }
  return (await Promise.all(found.map(within))).flat();
}
