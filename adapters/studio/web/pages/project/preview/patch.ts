// Undo and redo of visual edits: the service returns each change as a unified diff, which is
// reverted or applied in the current text.

interface Hunk {
  /** line is where the hunk begins in the text before, from 1, and lineAfter where in the other. */
  line: number;
  lineAfter: number;
  before: string[];
  after: string[];
}

/** Spot is a line and a column, both from 1, the column in UTF-16 units. */
export interface Spot {
  line: number;
  column: number;
}

/**
 * applyPatch makes the change of a diff in a text, or takes it back. It returns null
 * when the lines are not there, which may have moved up or down since.
 */
export function applyPatch(text: string, diff: string, back = false): string | null {
  const lines = text.split(/(?<=\n)/);
  let shift = 0;
  for (const { lineAfter, before, after } of hunksOf(diff).map((hunk) => (back ? turned(hunk) : hunk))) {
    // The hunks in front are made already, so that the lines are counted as after them.
    const at = find(lines, before, lineAfter - 1 + shift);
    if (at < 0) return null;
    lines.splice(at, before.length, ...after);
    shift = at - (lineAfter - 1);
  }
  return lines.join('');
}

// find looks for lines where they are expected, then farther and farther away.
function find(lines: string[], wanted: string[], expected: number): number {
  for (let distance = 0; distance <= lines.length; distance += 1) {
    for (const at of distance === 0 ? [expected] : [expected - distance, expected + distance]) {
      if (at >= 0 && at + wanted.length <= lines.length && wanted.every((line, index) => lines[at + index] === line))
        return at;
    }
  }
  return -1;
}

/** moved tells where a spot is once the change of a diff was made, or taken back. */
export function moved(spot: Spot, diff: string, back = false): Spot {
  let grown = 0;
  for (const { line, before, after } of hunksOf(diff).map((hunk) => (back ? turned(hunk) : hunk))) {
    if (spot.line < line) break;
    if (spot.line < line + before.length) return within(spot, line, before.join(''), after.join(''), grown);
    grown += after.length - before.length;
  }
  return { line: spot.line + grown, column: spot.column };
}

// within maps a position through a hunk: the common prefix keeps its position, the rest moves
// with the end.
function within(spot: Spot, line: number, before: string, after: string, grown: number): Spot {
  let at = spot.column - 1;
  for (const text of before.split(/(?<=\n)/).slice(0, spot.line - line)) at += text.length;
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  if (at >= same) at += after.length - before.length;
  const lines = after.slice(0, Math.max(0, at)).split('\n');
  return { line: line + grown + lines.length - 1, column: lines.at(-1)!.length + 1 };
}

function turned({ line, lineAfter, before, after }: Hunk): Hunk {
  return { line: lineAfter, lineAfter: line, before: after, after: before };
}

function hunksOf(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let last: string[][] = [];
  for (const text of diff.split(/(?<=\n)/)) {
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? /.exec(text);
    const hunk = hunks.at(-1);
    if (head) {
      // An empty range is named by the line in front of it.
      const [line, lineAfter] = [
        Number(head[1]) + (head[2] === '0' ? 1 : 0),
        Number(head[3]) + (head[4] === '0' ? 1 : 0),
      ];
      hunks.push({ line, lineAfter, before: [], after: [] });
    } else if (hunk && text.startsWith('\\')) {
      for (const side of last) side.push(side.pop()!.replace(/\n$/, ''));
    } else if (hunk && /^[ +-]/.test(text)) {
      last = { ' ': [hunk.before, hunk.after], '-': [hunk.before], '+': [hunk.after] }[text[0] as ' ' | '+' | '-'];
      for (const side of last) side.push(text.slice(1));
    }
  }
  return hunks;
}
