import { Compartment, type Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { signal } from '@preact/signals';

import { browserStorage } from '~/storage';

// How the reader likes the editor, kept in this browser.
const wrapMemory = 'atelier.code.wrap';
const sizeMemory = 'atelier.code.size';

/** wrapped is whether long lines are broken at the window's edge. */
export const wrapped = signal(browserStorage.text(wrapMemory) !== 'no');

/** size is the editor's font size in pixels. */
export const size = signal(Number(browserStorage.text(sizeMemory)) || 13);

const [smallest, largest] = [10, 24];

export function toggleWrap(): void {
  wrapped.value = !wrapped.value;
  browserStorage.setText(wrapMemory, wrapped.value ? 'yes' : 'no');
}

/** zoom changes the font size by some pixels. */
export function zoom(by: number): void {
  size.value = Math.min(largest, Math.max(smallest, size.value + by));
  browserStorage.setText(sizeMemory, String(size.value));
}

const wrapping = new Compartment();

// A line longer than this was not written by hand. It is shown without colours and is
// not broken: both take long.
const longestLine = 20_000;

/** hasLongLine finds lines that would make an editor slow. */
export function hasLongLine(doc: Text): boolean {
  for (const line of doc.iterLines()) if (line.length > longestLine) return true;
  return false;
}

const wrap = (doc: Text, on: boolean) => (on && !hasLongLine(doc) ? EditorView.lineWrapping : []);

/** wrappingAs makes an editor begin with the reader's wish. */
export function wrappingAs(doc: Text, on: boolean) {
  return wrapping.of(wrap(doc, on));
}

/** rewrap makes an editor follow it. */
export function rewrap(doc: Text, on: boolean) {
  return wrapping.reconfigure(wrap(doc, on));
}
