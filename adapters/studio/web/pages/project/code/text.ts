// Converts a file to lines and back without changing anything but the edits.

import { Text } from '@codemirror/state';

export type LineBreak = '\n' | '\r\n';

/**
 * breakOf returns the kind of line break of a text. In a text with both kinds, carriage
 * returns count as content and are preserved.
 */
export function breakOf(text: string): LineBreak {
  return text.includes('\r\n') && !/(^|[^\r])\n|\r(?!\n)/.test(text) ? '\r\n' : '\n';
}

/** textOf converts a text to an editor document. */
export function textOf(text: string, lineBreak: LineBreak): Text {
  return Text.of(text.split(lineBreak));
}

/** linesOf is the inverse of Text.of. */
export function linesOf(text: Text): readonly string[] {
  return text.toJSON();
}
