// Undo and redo of visual edits: the service returns each change as a unified diff, which
// is reverted or applied in the current text.

interface Hunk {
  /** line is where the hunk starts in the old text, from 1; lineAfter in the new text. */
  line: number;
  lineAfter: number;
  before: string[];
  after: string[];
}

/** Spot is a position; line and column start at 1, and columns count UTF-16 units. */
export interface Spot {
  line: number;
  column: number;
}

/**
 * applyPatch applies or reverts a diff. It finds lines that have moved, and returns null if
 * they no longer exist.
 */
export function applyPatch(text: string, diff: string, back = false): string | null {
  const lines = text.split(/(?<=\n)/);
  let shift = 0;
  for (const { lineAfter, before, after } of hunksOf(diff).map((hunk) => (back ? turned(hunk) : hunk))) {
    // The earlier hunks are already applied, so use the line number after them.
    const at = find(lines, before, lineAfter - 1 + shift);
    if (at < 0) return null;
    lines.splice(at, before.length, ...after);
    shift = at - (lineAfter - 1);
  }
  return lines.join('');
}

// find searches for lines at the expected position first, then at growing distances.
function find(lines: string[], wanted: string[], expected: number): number {
  for (let distance = 0; distance <= lines.length; distance += 1) {
    for (const at of distance === 0 ? [expected] : [expected - distance, expected + distance]) {
      if (at >= 0 && at + wanted.length <= lines.length && wanted.every((line, index) => lines[at + index] === line))
        return at;
    }
  }
  return -1;
}

/** moved returns the new position of a spot after a diff is applied or reverted. */
export function moved(spot: Spot, diff: string, back = false): Spot {
  let grown = 0;
  for (const { line, before, after } of hunksOf(diff).map((hunk) => (back ? turned(hunk) : hunk))) {
    if (spot.line < line) break;
    if (spot.line < line + before.length) return within(spot, line, before.join(''), after.join(''), grown);
    grown += after.length - before.length;
  }
  return { line: spot.line + grown, column: spot.column };
}

// within maps a position through a hunk: positions in the common prefix stay, the rest
// moves with the end.
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
      // For an empty range, the header has the number of the line before it.
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
