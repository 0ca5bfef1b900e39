// Reads and writes sources for the visual editor.

import { ApiError, api, filePath, request } from '~/api/client';
import type { FileEntry, SearchMatch } from '~/api/types';
import { t } from '~/text';
import type { Place } from '../store';
import { applyPatch } from './patch';
import type { Target } from './target';

/** Edit is a change of a file. */
export interface Edit {
  path: string;
  diff: string;
}

/** Step is what one undo takes back: edits, in the order in which they were made. */
export interface Step {
  edits: Edit[];
}

interface Saved {
  file: FileEntry;
  applied: number;
  diff: string;
}

/** Patch is a change of an element, as direct-save takes it. */
export interface Patch {
  property: string;
  value: string;
  /** as is 'class' for a CSS property that becomes a class, and variant what it is for. */
  as?: 'class';
  variant?: string;
  /** shown is the text that the element has on the page. */
  shown?: string;
  /** action arranges the element instead, beside or up to the one that target selects. */
  action?: 'delete' | 'duplicate' | 'wrap' | 'before' | 'after';
  target?: string;
}

/** savePatches changes elements of a source, all or none of them. */
export async function savePatches(
  project: string,
  path: string,
  patches: (Patch & { selector: string })[],
): Promise<Edit | null> {
  const { diff } = await api.post<Saved>(`/direct-save/${project}`, { filePath: path, patches });
  return diff === '' ? null : { path, diff };
}

/** byFile groups the patches of targets by their files, once for each element. */
export function byFile(
  targets: Target[],
  patchOf: (target: Target) => Patch & { selector: string },
): { path: string; patches: (Patch & { selector: string })[] }[] {
  const unique = targets.filter(
    (one, at) => targets.findIndex(({ path, selector }) => path === one.path && selector === one.selector) === at,
  );
  return [...new Set(unique.map(({ path }) => path))].map((path) => ({
    path,
    patches: unique.filter((one) => one.path === path).map(patchOf),
  }));
}

/** Refusal is why a patch cannot be made; reason is for patches that arrange an element. */
export interface Refusal {
  reason: '' | 'loop' | 'whole' | 'expression';
  message: string;
}

/** tryPatches returns for each patch why it cannot be made, or null. */
export async function tryPatches(project: string, target: Target, patches: Patch[]): Promise<(Refusal | null)[]> {
  const { outcomes } = await api.post<{ outcomes: (Refusal & { error: string })[] }>(`/direct-save/${project}`, {
    filePath: target.path,
    patches: patches.map((patch) => ({ selector: target.selector, ...patch })),
    dryRun: true,
  });
  return outcomes.map(({ error, ...refusal }) => (error === '' ? null : refusal));
}

/** readText reads a source. */
export async function readText(project: string, path: string): Promise<string> {
  return (await read(project, path)).text;
}

/** standsIn reports whether an element with a tag name starts at a target's place in a text. */
export function standsIn(text: string, target: Target, tag: string): boolean {
  if (!target.place) return true;
  const line = text.replace(/^\ufeff/, '').split(/\r\n|[\n\r\u2028\u2029]/)[target.place.line - 1] ?? '';
  const rest = line.slice(target.place.column - 1);
  return rest.startsWith(`<${tag}`) && !/^[\w.-]/.test(rest.slice(tag.length + 1));
}

/**
 * takeStep applies or reverts a step in the current files, each file in one write. It changes
 * no file if the step does not fit one of them.
 */
export async function takeStep(project: string, step: Step, back: boolean): Promise<void> {
  const paths = [...new Set(step.edits.map(({ path }) => path))];
  const diffs = (path: string) => {
    const own = step.edits.filter((edit) => edit.path === path).map(({ diff }) => diff);
    return back ? own.reverse() : own;
  };
  if (paths.length > 1) for (const path of paths) applied(path, (await read(project, path)).text, diffs(path), back);
  for (const path of paths) await rewrite(project, path, (text) => applied(path, text, diffs(path), back));
}

function applied(path: string, text: string, diffs: string[], back: boolean): string {
  let next: string | null = text;
  for (const diff of diffs) next = next === null ? null : applyPatch(next, diff, back);
  if (next === null) throw new Error(t.preview.edit.changedSince(path));
  return next;
}

/** rewrite changes a file, whatever others write meanwhile, and returns it before and after. */
export async function rewrite(
  project: string,
  path: string,
  change: (text: string) => string,
): Promise<{ before: string; after: string }> {
  for (let tries = 0; ; tries += 1) {
    const { text, etag } = await read(project, path);
    const next = change(text);
    const texts = { before: text, after: next };
    if (next === text) return texts;
    try {
      await request('PUT', filePath(project, path), next, {
        headers: { 'Content-Type': 'text/plain', 'If-Match': etag },
      });
      return texts;
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
      query: { q, maxResults: 20 },
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
