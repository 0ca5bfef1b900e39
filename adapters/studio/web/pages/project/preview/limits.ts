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
  /** style says why no style can be set, or is null. */
  style: Refusal | null;
  /** place says why the element cannot be moved, copied or deleted, or is null. */
  place: Refusal | null;
}

export const unlimited: Limits = { text: false, places: [], elsewhere: null, style: null, place: null };

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
  return {
    text: true,
    places,
    elsewhere: null,
    ...(await elsewhere(project, target, places, words[0]!)),
    ...fixed,
    style,
  };
}

// elsewhere finds the only other file that has the text, if it can be changed there.
async function elsewhere(project: string, target: Target, places: Place[], patch: Patch): Promise<Partial<Limits>> {
  const paths = [...new Set(places.map(({ path }) => path))].filter((path) => path !== target.path);
  if (paths.length !== 1 || places.length !== 1 || !/\.[jt]sx$/.test(paths[0]!)) return {};
  const other: Target = { path: paths[0]!, selector: '', place: null };
  try {
    const [why] = await tryPatches(project, other, [patch]);
    return why === null ? { text: false, elsewhere: other } : {};
  } catch {
    return {}; // The other file cannot be read or patched, so the text stays as it is.
  }
}

/** styleLimit says why no style of an element can be set, or returns null. */
export async function styleLimit(project: string, target: Target, inClasses: boolean): Promise<Refusal | null> {
  const as = inClasses ? ({ as: 'class' } as const) : {};
  const [why] = await tryPatches(project, target, [{ property: 'padding-top', value: '1em', ...as }]);
  return why ?? null;
}
