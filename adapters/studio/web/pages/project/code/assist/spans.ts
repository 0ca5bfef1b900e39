// What only questions to the language server need: it is loaded with them.

import { type ChangeSpec, Text } from '@codemirror/state';

import { offsetOf } from './places';

/** Span is a part of a text. */
export interface Span {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

/** Edit replaces a part of a text. */
export interface Edit extends Span {
  text: string;
}

/** placeOf returns the line and column of a position. */
export function placeOf(doc: Text, offset: number): { line: number; column: number } {
  const line = doc.lineAt(offset);
  return { line: line.number, column: offset - line.from + 1 };
}

/** rangeOf returns the positions of a span. */
export function rangeOf(doc: Text, { line, column, endLine, endColumn }: Span): { from: number; to: number } {
  const from = offsetOf(doc, line, column);
  return { from, to: Math.max(from, offsetOf(doc, endLine, endColumn)) };
}

/** changesOf returns edits as changes of the editor. Their line ends become the text's. */
export function changesOf(doc: Text, edits: readonly Edit[]): ChangeSpec[] {
  return edits.map((edit) => ({ ...rangeOf(doc, edit), insert: Text.of(edit.text.split(/\r\n?|\n/)) }));
}

/**
 * completesAt reports whether it is worth asking what may follow a line's text: in a word, after a
 * dot or an angle bracket, and in the name of a module.
 */
export function completesAt(before: string): boolean {
  if (/[\w$]$|\.$|<$/.test(before)) return !/(?:^|[^\w$.])\d+\.?$/.test(before);
  return /\b(?:from|import|require)\b[^'"]*['"][^'"]*$/.test(before);
}
