// What the keyboard shortcuts do on the page at hand. The pages bind functions to the ids of
// the table (shortcuts.ts), and one listener runs them.

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

import { keysOf, matches, type Place, places, type ShortcutId, shortcutIds, shortcuts } from './shortcuts';

/** Binding is what a shortcut does. text replaces the table's; null means nothing now. */
export type Binding = (() => void) | { text: string; run: () => void } | null;

export type Bindings = Partial<Record<ShortcutId, Binding>>;

const bound = signal<readonly Bindings[]>([]);

/** bind gives shortcuts their functions until the returned function is called. */
export function bind(bindings: Bindings): () => void {
  bound.value = [...bound.peek(), bindings];
  return () => {
    bound.value = bound.peek().filter((other) => other !== bindings);
  };
}

/** useShortcuts binds shortcuts while the component is mounted. */
export function useShortcuts(bindings: Bindings): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  const shape = (Object.entries(bindings) as [ShortcutId, Binding][])
    .map(([id, binding]) => `${id}:${binding === null ? '' : textOf(id, binding)}`)
    .join('\n');
  useEffect(() => {
    const current = (id: ShortcutId) => {
      const binding = latest.current[id];
      if (typeof binding === 'function') binding();
      else binding?.run();
    };
    const fixed = Object.entries(bindings).map(([id, binding]) => [
      id,
      binding && { text: textOf(id as ShortcutId, binding), run: () => current(id as ShortcutId) },
    ]);
    return bind(Object.fromEntries(fixed));
  }, [shape]);
}

// bindingOf returns the latest binding of a shortcut, undefined if it has none.
function bindingOf(id: ShortcutId): Binding | undefined {
  return bound.peek().findLast((bindings) => id in bindings)?.[id];
}

function textOf(id: ShortcutId, binding: Binding | undefined): string {
  return binding && typeof binding === 'object' ? binding.text : shortcuts[id].text();
}

/** Listed is a shortcut as users see it. */
export interface Listed {
  id: ShortcutId;
  keys: string;
  text: string;
}

/** here lists the shortcuts of the places that are on the page, innermost first. */
export function here(): [Place, Listed[]][] {
  const all = bound.peek();
  const has = (id: ShortcutId) => all.some((bindings) => id in bindings);
  const isHere = (place: Place | null): boolean => {
    if (place === null) return false;
    const ids = shortcutIds.filter((id) => shortcuts[id].where === place);
    return ids.some(has) || (ids.every((id) => shortcuts[id].own) && isHere(places[place].in));
  };
  return (Object.keys(places) as Place[])
    .filter(isHere)
    .map((place) => [
      place,
      shortcutIds
        .filter((id) => shortcuts[id].where === place && (shortcuts[id].own || has(id)))
        .map((id) => ({ id, keys: keysOf(id), text: textOf(id, bindingOf(id)) })),
    ]);
}

/** wanted returns the shortcut of a place that an event is for, wherever the focus is. */
export function wanted(event: KeyboardEvent, place: Place): ShortcutId | null {
  return shortcutIds.find((id) => shortcuts[id].where === place && matches(event, shortcuts[id].keys)) ?? null;
}

/** isDialogOpen reports whether a dialog covers the page. Most shortcuts do nothing meanwhile. */
export function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

// reaches reports whether a shortcut counts where the focus is.
function reaches(id: ShortcutId, target: Element | null): boolean {
  const { keys, where, notInFields, overDialogs } = shortcuts[id];
  const { within, loose } = places[where];
  if (!overDialogs && isDialogOpen()) return false;
  const bare = !/^(mod|ctrl|alt)\+/.test(keys) && keys !== 'escape';
  if ((bare || notInFields) && target?.closest(fields)) return false;
  const nowhere = target === null || target === document.body;
  return !within || (nowhere ? loose === true : target.closest(within) !== null);
}

const fields =
  'input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select, [contenteditable=true]';

/** press runs the shortcut that an event is for and reports whether there is one. */
export function press(event: KeyboardEvent, first = false): boolean {
  if (event.defaultPrevented || event.isComposing) return false;
  const target = event.target instanceof Element ? event.target : null;
  for (const place of Object.keys(places) as Place[]) {
    if ((places[place].first ?? false) !== first) continue;
    const id = wanted(event, place);
    if (!id || shortcuts[id].own || !reaches(id, target)) continue;
    const binding = bindingOf(id);
    if (!binding) continue;
    event.preventDefault();
    if (first) event.stopPropagation();
    if (typeof binding === 'function') binding();
    else binding.run();
    return true;
  }
  return false;
}

/** useKeys listens to the keyboard. The application has one such component. */
export function useKeys(): void {
  useEffect(() => {
    const early = (event: KeyboardEvent) => void press(event, true);
    const late = (event: KeyboardEvent) => void press(event);
    addEventListener('keydown', early, true);
    addEventListener('keydown', late);
    return () => {
      removeEventListener('keydown', early, true);
      removeEventListener('keydown', late);
    };
  }, []);
}
