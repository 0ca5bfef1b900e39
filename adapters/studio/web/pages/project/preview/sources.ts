// Reads and writes sources for the visual editor.

import { ApiError, api, filePath, request } from '~/api/client';
import type { FileEntry, SearchMatch } from '~/api/types';
import { t } from '~/text';
import type { Place } from '../store';
import { applyPatch } from './patch';
import type { Target } from './target';

/** Step is a change that can be undone. */
export interface Step {
  path: string;
  diff: string;
}

interface Saved {
  file: FileEntry;
  applied: number;
  diff: string;
}

/** saveValue sets a property of an element in its source. */
export async function saveValue(
  project: string,
  target: Target,
  property: string,
  value: string,
): Promise<Step | null> {
  const patches = [{ selector: target.selector, property, value }];
  const { diff } = await api.post<Saved>(`/direct-save/${project}`, { filePath: target.path, patches });
  return diff === '' ? null : { path: target.path, diff };
}

/** standsAt reports whether an element with a tag name starts at a target's place. */
export async function standsAt(project: string, target: Target, tag: string): Promise<boolean> {
  if (!target.place) return true;
  const { text } = await read(project, target.path);
  const line = text.replace(/^\ufeff/, '').split(/\r\n|[\n\r\u2028\u2029]/)[target.place.line - 1] ?? '';
  const rest = line.slice(target.place.column - 1);
  return rest.startsWith(`<${tag}`) && !/^[\w.-]/.test(rest.slice(tag.length + 1));
}

/** takeStep applies or reverts a change in the current file. */
export async function takeStep(project: string, { path, diff }: Step, back: boolean): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { text, etag } = await read(project, path);
    const next = applyPatch(text, diff, back);
    if (next === null) throw new Error(t.preview.edit.changedSince(path));
    try {
      await request('PUT', filePath(project, path), next, {
        headers: { 'Content-Type': 'text/plain', 'If-Match': etag },
      });
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'precondition_failed' || tries > 2) throw error;
    }
  }
}

/** placesOf finds the occurrences of a text in the project, and not inside of longer words. */
export async function placesOf(project: string, text: string): Promise<Place[]> {
  const words = text.trim().slice(0, 100);
  if (words.length < 2 || words.includes('\n')) return [];
  const escaped = words.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const q = (/^\w/.test(words) ? '\\b' : '') + escaped + (/\w$/.test(words) ? '\\b' : '');
  try {
    const { matches } = await api.get<{ matches: SearchMatch[] }>(`/projects/${project}/files/search`, {
      query: { q, maxResults: 3 },
    });
    return matches.map(({ path, line, column }) => ({ path, line, column }));
  } catch {
    return []; // The places are only a hint, so ignore the error.
  }
}

async function read(project: string, path: string): Promise<{ text: string; etag: string }> {
  const answer = await request('GET', filePath(project, path), undefined, { headers: { Accept: '*/*' } });
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await answer.arrayBuffer());
  return { text, etag: answer.headers.get('ETag') ?? '*' };
}
