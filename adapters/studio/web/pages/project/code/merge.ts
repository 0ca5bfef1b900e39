import { diffLines, type Hunk } from './lines';

/**
 * merge is a three-way merge by lines. It returns null if both sides changed the same
 * lines, or inserted at the same place, with different results.
 */
export function merge(base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] | null {
  const [ours, others] = [diffLines(base, mine), diffLines(base, theirs)];
  const merged: string[] = [];
  let line = 0;
  const take = ({ from, to, at, until }: Hunk, source: readonly string[]) => {
    merged.push(...base.slice(line, from), ...source.slice(at, until));
    line = to;
  };
  for (let i = 0, j = 0; i < ours.length || j < others.length; ) {
    const [own, other] = [ours[i], others[j]];
    if (own && other && clash(own, other)) {
      if (!same(own, mine, other, theirs)) return null;
      take(own, mine);
      i++;
      j++;
    } else if (own && (!other || own.from < other.from)) {
      take(own, mine);
      i++;
    } else {
      take(other!, theirs);
      j++;
    }
  }
  return [...merged, ...base.slice(line)];
}

// clash reports whether two hunks touch the same lines. Adjacent changes do not clash. An
// insertion next to a change does, because their order is unknown.
function clash(a: Hunk, b: Hunk): boolean {
  const [first, second] = a.from < b.from || (a.from === b.from && a.to <= b.to) ? [a, b] : [b, a];
  if (second.from < first.to) return true;
  return second.from === first.to && (first.from === first.to || second.from === second.to);
}

function same(a: Hunk, mine: readonly string[], b: Hunk, theirs: readonly string[]): boolean {
  if (a.from !== b.from || a.to !== b.to || a.until - a.at !== b.until - b.at) return false;
  return mine.slice(a.at, a.until).every((text, index) => text === theirs[b.at + index]);
}
