// A line diff of two texts.

/** Hunk maps lines [from, to) of one text to lines [at, until) of another. */
export interface Hunk {
  from: number;
  to: number;
  at: number;
  until: number;
}

// Searching takes quadratic time, so it stops at this number of differences and reports one
// large hunk.
const maxDifferences = 1000;

/** diffLines returns the hunks in which two texts differ, in order. */
export function diffLines(a: readonly string[], b: readonly string[]): Hunk[] {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return between(common(left, right), left.length, right.length).map(({ from, to, at, until }) => ({
    from: from + start,
    to: to + start,
    at: at + start,
    until: until + start,
  }));
}

/** between converts the gaps between pairs of equal lines to hunks. */
function between(pairs: [number, number][], n: number, m: number): Hunk[] {
  const hunks: Hunk[] = [];
  let [x, y] = [0, 0];
  for (const [i, j] of [...pairs, [n, m] as [number, number]]) {
    if (i > x || j > y) hunks.push({ from: x, to: i, at: y, until: j });
    [x, y] = [i + 1, j + 1];
  }
  return hunks;
}

// common returns the pairs of equal lines of a longest common subsequence (Myers: "An O(ND)
// difference algorithm and its variations").
function common(a: readonly string[], b: readonly string[]): [number, number][] {
  const trail = search(a, b);
  const pairs: [number, number][] = [];
  if (!trail) return pairs;
  let [x, y] = [a.length, b.length];
  for (let d = trail.length - 1; d >= 0; d--) {
    const k = x - y;
    const reached = trail[d]!;
    const before = k === -d || (k !== d && reached[k - 1 + d + 1]! < reached[k + 1 + d + 1]!) ? k + 1 : k - 1;
    const px = d === 0 ? 0 : reached[before + d + 1]!;
    const py = d === 0 ? 0 : px - before;
    while (x > px && y > py) pairs.push([--x, --y]);
    [x, y] = [px, py];
  }
  return pairs.reverse();
}

// search returns how far each diagonal was reached before each step, diagonal k at index k
// + step + 1. It returns null if the texts differ too much.
function search(a: readonly string[], b: readonly string[]): Int32Array[] | null {
  const limit = Math.min(a.length + b.length, maxDifferences);
  const zero = limit + 1;
  const reached = new Int32Array(2 * limit + 3);
  const trail: Int32Array[] = [];
  for (let d = 0; d <= limit; d++) {
    trail.push(reached.slice(zero - d - 1, zero + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reached[zero + k - 1]! < reached[zero + k + 1]!);
      let x = down ? reached[zero + k + 1]! : reached[zero + k - 1]! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reached[zero + k] = x;
      if (x >= a.length && x - k >= b.length) return trail;
    }
  }
  return null;
}

/** unified formats the differences of two texts as the hunks of a unified diff. */
export function unified(a: readonly string[], b: readonly string[], context = 3): string {
  const out: string[] = [];
  const hunks = diffLines(a, b);
  for (let first = 0; first < hunks.length; ) {
    let last = first;
    while (last + 1 < hunks.length && hunks[last + 1]!.from - hunks[last]!.to <= 2 * context) last++;
    const begin = Math.max(0, hunks[first]!.from - context);
    const end = Math.min(a.length, hunks[last]!.to + context);
    const shift = hunks[first]!.at - hunks[first]!.from;
    const length =
      end -
      begin +
      hunks.slice(first, last + 1).reduce((sum, { from, to, at, until }) => sum + until - at - (to - from), 0);
    out.push(`@@ -${begin + 1},${end - begin} +${begin + shift + 1},${length} @@`);
    let line = begin;
    for (const { from, to, at, until } of hunks.slice(first, last + 1)) {
      out.push(
        ...a.slice(line, from).map((text) => ` ${text}`),
        ...a.slice(from, to).map((text) => `-${text}`),
        ...b.slice(at, until).map((text) => `+${text}`),
      );
      line = to;
    }
    out.push(...a.slice(line, end).map((text) => ` ${text}`));
    first = last + 1;
  }
  return out.join('\n');
}
