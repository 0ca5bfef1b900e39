import { Compartment, type Text } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { signal } from '@preact/signals';

import { browserStorage } from '~/storage';

// The user's editor preferences, stored in this browser.
const wrapMemory = 'atelier.code.wrap';
const formatMemory = 'atelier.code.format';
const sizeMemory = 'atelier.code.size';

/** wrapped is true if long lines wrap. */
export const wrapped = signal(browserStorage.text(wrapMemory) !== 'no');

/** size is the editor's font size in pixels. */
export const size = signal(Number(browserStorage.text(sizeMemory)) || 13);

/** formats is true if saving by hand formats the file. */
export const formats = signal(browserStorage.text(formatMemory) !== 'no');

export function toggleFormat(): void {
  formats.value = !formats.value;
  browserStorage.setText(formatMemory, formats.value ? 'yes' : 'no');
}

const [smallest, largest] = [10, 24];

export function toggleWrap(): void {
  wrapped.value = !wrapped.value;
  browserStorage.setText(wrapMemory, wrapped.value ? 'yes' : 'no');
}

/** zoom changes the font size by a number of pixels. */
export function zoom(by: number): void {
  size.value = Math.min(largest, Math.max(smallest, size.value + by));
  browserStorage.setText(sizeMemory, String(size.value));
}

const wrapping = new Compartment();

// Longer lines are usually generated. They are shown without highlighting or wrapping,
// because both are slow.
const longestLine = 20_000;

/** hasLongLine reports whether a line would slow the editor down. */
export function hasLongLine(doc: Text): boolean {
  for (const line of doc.iterLines()) if (line.length > longestLine) return true;
  return false;
}

const wrap = (doc: Text, on: boolean) => (on && !hasLongLine(doc) ? EditorView.lineWrapping : []);

/** wrappingAs returns the initial line wrapping. */
export function wrappingAs(doc: Text, on: boolean) {
  return wrapping.of(wrap(doc, on));
}

/** rewrap changes the line wrapping. */
export function rewrap(doc: Text, on: boolean) {
  return wrapping.reconfigure(wrap(doc, on));
}
