import type { Place } from '../store';
import type { Picked } from './messages';
import { type Patch, placesOf, type Refusal, tryPatches } from './sources';
import type { Target } from './target';

/** Limits say what of an element cannot be changed on the page. */
export interface Limits {
  /** text is true if the text is not in any source as such; places are where it may come from. */
  text: boolean;
  places: Place[];
  /** elsewhere is the source that has the text, if another than the element's. */
  elsewhere: Target | null;
  /** choices are the sources that have it, if there are several. */
  choices: Target[];
  /** style says why no style can be set, or is null. */
  style: Refusal | null;
  /** place says why the element cannot be moved, copied or deleted, or is null. */
  place: Refusal | null;
}

export const unlimited: Limits = { text: false, places: [], elsewhere: null, choices: [], style: null, place: null };

// Patches whose success stands for those of all styles.
const probes = ['color', 'background-color', 'padding-top', 'font-size'];

/** limitsOf tries what can be changed of an element, without changing it. */
export async function limitsOf(project: string, target: Target, picked: Picked, inClasses: boolean): Promise<Limits> {
  const as = inClasses ? ({ as: 'class' } as const) : {};
  const styles: Patch[] = probes.map((property) => ({
    property,
    value: property.endsWith('color') ? '#fff' : '1em',
    ...as,
  }));
  const words: Patch[] =
    picked.text === null || picked.text.trim() === ''
      ? []
      : [{ property: 'textContent', value: picked.text, shown: picked.text }];
  const place: Patch = { property: '', value: '', action: 'duplicate' };
  const outcomes = await tryPatches(project, target, [...styles, place, ...words]);
  const failures = outcomes.slice(0, styles.length);
  const fixed = { place: outcomes[styles.length] ?? null };
  const style = failures.every((why) => why !== null) ? failures[0]! : null;
  if (words.length === 0 || outcomes.at(-1) === null) return { ...unlimited, ...fixed, style };
  const places = await placesOf(project, picked.text!);
  const sources = await sourcesOf(project, target, places, words[0]!);
  const [only] = sources;
  if (only && sources.length === 1) return { ...unlimited, elsewhere: only, ...fixed, style };
  return { ...unlimited, text: true, places, choices: sources, ...fixed, style };
}

// most is how many sources are tried.
const most = 5;

// sourcesOf finds the other scripts in which a text can be changed. Pages are none: they have other texts
// than what scripts show.
async function sourcesOf(project: string, target: Target, places: Place[], patch: Patch): Promise<Target[]> {
  const paths = [...new Set(places.map(({ path }) => path))].filter(
    (path) => path !== target.path && /\.m?[jt]sx?$/.test(path),
  );
  const sources = paths.slice(0, most).map((path): Target => ({ path, selector: '', place: null }));
  const tried = await Promise.allSettled(sources.map((source) => tryPatches(project, source, [patch])));
  return sources.filter((_, at) => {
    const one = tried[at]!;
    // A file that cannot be read or patched stays as it is.
    return one.status === 'fulfilled' && one.value[0] === null;
  });
}

/** styleLimit says why no style of an element can be set, or returns null. */
export async function styleLimit(project: string, target: Target, inClasses: boolean): Promise<Refusal | null> {
  const as = inClasses ? ({ as: 'class' } as const) : {};
  const [why] = await tryPatches(project, target, [{ property: 'padding-top', value: '1em', ...as }]);
  return why ?? null;
}
