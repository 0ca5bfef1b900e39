// A text file as the service has it: from bytes to text, if it is one.

import { ApiError, filePath, request } from '~/api/client';

/** maxEditable is the size in bytes up to which a file can be edited. */
export const maxEditable = 1 << 20;

/** Fetched is a text file as the service has it. */
export interface Fetched {
  text: string;
  etag: string;
}

/** NoText says that a file's content is not text. */
export class NoText extends Error {}

/** TooLarge says that a file is larger than maxEditable. */
export class TooLarge extends Error {}

/** fetchText reads a file; null if there is no such file. It throws NoText and TooLarge besides an ApiError. */
export async function fetchText(projectId: string, path: string): Promise<Fetched | null> {
  let answer: Response;
  try {
    answer = await request('GET', filePath(projectId, path), undefined, { headers: { Accept: '*/*' } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
  const content = await answer.arrayBuffer();
  if (content.byteLength > maxEditable) throw new TooLarge();
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new NoText();
  }
  if (text.includes('\0')) throw new NoText();
  return { text, etag: answer.headers.get('ETag') ?? '' };
}
