// What is searched, where, and what takes its place.

import type { SearchMatch } from '~/api/types';

/** Wish is what the fields of the search say. */
export interface Wish {
  text: string;
  /** regex is true if the text is a regular expression. */
  regex: boolean;
  anyCase: boolean;
  /** include and exclude are paths, divided by commas. */
  include: string;
  exclude: string;
}

export const noWish: Wish = { text: '', regex: false, anyCase: true, include: '', exclude: '' };

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** queryOf returns the regular expression for the service. */
export function queryOf({ text, regex, anyCase }: Wish): string {
  return (anyCase ? '(?i)' : '') + (regex ? text : escaped(text));
}

/**
 * patternOf returns the regular expression for the browser. The two kinds differ: it is null
 * if the browser has no such pattern.
 */
export function patternOf({ text, regex, anyCase }: Wish, all = false): RegExp | null {
  try {
    return new RegExp(regex ? text : escaped(text), `${all ? 'g' : ''}${anyCase ? 'i' : ''}u`);
  } catch {
    return null;
  }
}

/**
 * within returns a test for paths. A name, with * for anything, matches files and folders
 * wherever they are; a path with a slash begins at the project's root, and ** in it matches
 * any number of folders.
 */
export function within({ include, exclude }: Pick<Wish, 'include' | 'exclude'>): (path: string) => boolean {
  const [inside, outside] = [globsOf(include), globsOf(exclude)];
  const hits = (globs: RegExp[], path: string) => globs.some((glob) => glob.test(path));
  return (path) => (inside.length === 0 || hits(inside, path)) && !hits(outside, path);
}

function globsOf(list: string): RegExp[] {
  return list
    .split(',')
    .map((glob) => glob.trim().replace(/^\.?\/|\/$/g, ''))
    .filter(Boolean)
    .map((glob) => new RegExp(`${glob.includes('/') ? '^' : '(^|/)'}${sourceOf(glob)}(/|$)`, 'iu'));
}

function sourceOf(glob: string): string {
  const kinds: Record<string, string> = { '**/': '(.*/)?', '**': '.*', '*': '[^/]*', '?': '[^/]' };
  return glob.replace(/\*\*\/|\*\*|[\\^$.*+?()[\]{}|]/gu, (part) => kinds[part] ?? `\\${part}`);
}

/** columnOf converts a column in bytes to UTF-16 units. */
export function columnOf({ text, column }: SearchMatch): number {
  const before = new TextEncoder().encode(text).slice(0, column - 1);
  return new TextDecoder().decode(before).length + 1;
}

// The text before a match is cut, so that the match is in sight in the narrow list.
const mostBefore = 12;
const mostAfter = 200;

/** partsOf divides the line of a match into what is shown before, of and after the match. */
export function partsOf(match: SearchMatch, pattern: RegExp | null): [string, string, string] {
  const start = columnOf(match) - 1;
  const rest = match.text.slice(start);
  const found = pattern?.exec(rest);
  const length = found?.index === 0 ? found[0].length : 0;
  const before = [...match.text.slice(0, start).trimStart()];
  const shown = before.length > mostBefore ? `…${before.slice(1 - mostBefore).join('')}` : before.join('');
  return [shown, rest.slice(0, length), rest.slice(length, length + mostAfter)];
}

/** ChangedLine is a line before and after its matches are replaced. */
export interface ChangedLine {
  line: number;
  before: string;
  after: string;
}

/** Replaced is a file after all of its matches are replaced. */
export interface Replaced {
  text: string;
  count: number;
  lines: ChangedLine[];
}

/**
 * replaceAll replaces all matches in a file, line by line as the search finds them. Line ends
 * stay. In a regular expression's replacement, $1 is the first group and $& the match.
 */
export function replaceAll(text: string, wish: Wish, replacement: string): Replaced {
  const pattern = patternOf(wish, true);
  if (!pattern || wish.text === '') return { text, count: 0, lines: [] };
  let count = 0;
  const lines: ChangedLine[] = [];
  const replaced = text.split('\n').map((whole, index) => {
    const end = whole.endsWith('\r') ? '\r' : '';
    const before = end ? whole.slice(0, -1) : whole;
    count += before.match(pattern)?.length ?? 0;
    const after = wish.regex ? before.replace(pattern, replacement) : before.replace(pattern, () => replacement);
    if (after !== before) lines.push({ line: index + 1, before, after });
    return after + end;
  });
  return { text: replaced.join('\n'), count: lines.length > 0 ? count : 0, lines };
}
