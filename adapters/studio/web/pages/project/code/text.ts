// Text of a file: to lines and back, so that nothing but what was edited changes.

import { Text } from '@codemirror/state';

export type LineBreak = '\n' | '\r\n';

/**
 * breakOf tells how the lines of a text end. In a text of both kinds the carriage
 * returns count as content, so that they stay.
 */
export function breakOf(text: string): LineBreak {
  return text.includes('\r\n') && !/(^|[^\r])\n|\r(?!\n)/.test(text) ? '\r\n' : '\n';
}

/** textOf makes the lines of a text an editor's document. */
export function textOf(text: string, lineBreak: LineBreak): Text {
  return Text.of(text.split(lineBreak));
}

/** linesOf is the opposite of Text.of. */
export function linesOf(text: Text): readonly string[] {
  return text.toJSON();
}
