// Places in texts: the service counts lines and columns from 1, editors characters from 0.

import type { Text } from '@codemirror/state';

/** offsetOf returns the position of a place, which is moved into the text. */
export function offsetOf(doc: Text, line: number, column: number): number {
  const found = doc.line(Math.min(Math.max(1, line), doc.lines));
  return Math.min(found.to, found.from + Math.max(0, column - 1));
}

/** speaks reports whether a file is TypeScript or JavaScript. */
export function speaks(path: string): boolean {
  return /\.[mc]?[tj]s$|\.[tj]sx$/.test(path);
}
