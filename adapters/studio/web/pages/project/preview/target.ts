import type { FileEntry } from '~/api/types';
import type { Place } from '../store';
import type { Picked } from './messages';

/** Target is the source element that a visual edit changes. */
export interface Target {
  path: string;
  selector: string;
  /** place is where the element starts, or null. */
  place: Required<Place> | null;
}

/** Found is an element with its source. */
export interface Found {
  target: Target;
  tag: string;
}

/**
 * targetOf finds the source of a picked element. It returns null for elements from a
 * library or a script.
 */
export function targetOf(picked: Pick<Picked, 'loc' | 'selector'>, page: string, files: FileEntry[]): Target | null {
  const found = /^(.+):(\d+):(\d+)$/.exec(picked.loc);
  if (found) return placeTarget({ path: found[1]!, line: Number(found[2]), column: Number(found[3]) });
  if (!picked.selector) return null;
  const path = fileOf(page, files);
  return path === null ? null : { path, selector: picked.selector, place: null };
}

/** placeTarget returns the target for an element that starts at a place. */
export function placeTarget(place: Required<Place>): Target {
  const at = `${place.path}:${place.line}:${place.column}`.replace(/["\\]/g, '\\$&');
  return { path: place.path, selector: `[data-loc="${at}"]`, place };
}

// fileOf returns the file of a page in a project without a build. Unknown addresses show
// the start page.
function fileOf(page: string, files: FileEntry[]): string | null {
  const path = decoded(page.split(/[?#]/)[0]!).replace(/^\//, '');
  const names =
    path === '' || path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`, `${path}/index.html`];
  return (
    [...names, 'index.html'].find((name) => name.endsWith('.html') && files.some((file) => file.path === name)) ?? null
  );
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
