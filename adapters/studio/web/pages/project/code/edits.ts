import { type ChangeSpec, Text } from '@codemirror/state';

import { diffLines } from './lines';
import { linesOf } from './text';

/**
 * edits returns minimal changes from one document to another, so that cursors keep their
 * positions.
 */
export function edits(from: Text, to: Text): ChangeSpec[] {
  const [a, b] = [linesOf(from), linesOf(to)];
  return diffLines(a, b).flatMap((hunk) => {
    const [gone, come] = [a.slice(hunk.from, hunk.to), b.slice(hunk.at, hunk.until)];
    if (gone.length === come.length)
      return gone.map((line, index) => within(from.line(hunk.from + index + 1).from, line, come[index]!));
    return [lines(from, hunk.from, hunk.to, come)];
  });
}

// within narrows the change of a line to the part that differs.
function within(offset: number, before: string, after: string): ChangeSpec {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return {
    from: offset + start,
    to: offset + before.length - end,
    insert: Text.of([after.slice(start, after.length - end)]),
  };
}

// lines replaces the lines [first, end), counted from 0.
function lines(text: Text, first: number, end: number, come: readonly string[]): ChangeSpec {
  const startOf = (line: number) => (line < text.lines ? text.line(line + 1).from : text.length + 1);
  if (end < text.lines) return { from: startOf(first), to: startOf(end), insert: Text.of([...come, '']) };
  if (first > 0) return { from: startOf(first) - 1, to: text.length, insert: Text.of(['', ...come]) };
  return { from: 0, to: text.length, insert: Text.of([...come]) };
}
