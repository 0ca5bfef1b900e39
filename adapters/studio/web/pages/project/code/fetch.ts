// Reads a file from the service and decodes it if it is text.

import { ApiError, filePath, request } from '~/api/client';

/** maxEditable is the size limit for editing, in bytes. */
export const maxEditable = 1 << 20;

/** Fetched is a text file as stored by the service. */
export interface Fetched {
  text: string;
  etag: string;
}

/** NoText is thrown for a file whose content is not text. */
export class NoText extends Error {}

/** TooLarge is thrown for a file larger than maxEditable. */
export class TooLarge extends Error {}

/** fetchText reads a file, null if it does not exist. It throws NoText, TooLarge and ApiError. */
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
