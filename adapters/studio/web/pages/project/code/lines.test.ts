import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Dice } from '~/testing/random';
import { diffLines, unified } from './lines';

/** applied applies the hunks between two texts to the first. */
function applied(a: string[], b: string[]): string[] {
  const out: string[] = [];
  let line = 0;
  for (const { from, to, at, until } of diffLines(a, b)) {
    out.push(...a.slice(line, from), ...b.slice(at, until));
    line = to;
  }
  return [...out, ...a.slice(line)];
}

/** longest returns the length of the longest common subsequence of lines. */
function longest(a: string[], b: string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const line of a) {
    const next = [0];
    for (const [j, other] of b.entries()) next.push(line === other ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!));
    row = next;
  }
  return row[b.length]!;
}

test('the hunks lead to the other text, in order and by the fewest changes', () => {
  const dice = new Dice(7);
  for (let round = 0; round < 5000; round++) {
    const [a, b] = [dice.list(11, () => dice.of([...'abcdef'])), dice.list(11, () => dice.of([...'abcdef']))];
    assert.deepEqual(applied(a, b), b);
    const hunks = diffLines(a, b);
    assert.equal(a.length - hunks.reduce((sum, { from, to }) => sum + to - from, 0), longest(a, b));
    for (const [index, { from, at }] of hunks.slice(1).entries())
      assert(from > hunks[index]!.to && at > hunks[index]!.until);
  }
});

test('equal texts have no hunks', () => {
  assert.deepEqual(diffLines(['a', 'b'], ['a', 'b']), []);
  assert.deepEqual(diffLines([], []), []);
});

test('long texts with nothing in common are one hunk', () => {
  const long = Array.from({ length: 20_000 }, (_, line) => `line ${line}`);
  assert.deepEqual(
    diffLines(
      long,
      long.map((line) => `${line}!`),
    ),
    [{ from: 0, to: 20_000, at: 0, until: 20_000 }],
  );
});

test('long texts with little between them are told apart', () => {
  const long = Array.from({ length: 20_000 }, (_, line) => `line ${line}`);
  assert.deepEqual(diffLines(long, long.toSpliced(10_000, 1)), [
    { from: 10_000, to: 10_001, at: 10_000, until: 10_000 },
  ]);
});

test('a patch has the lines around a change, and neighbours in one hunk', () => {
  assert.equal(unified(['a', 'b', 'c'], ['a', 'x', 'c']), '@@ -1,3 +1,3 @@\n a\n-b\n+x\n c');
  assert.equal(unified([...'abcdefghij'], [...'Abcdefghij'], 1), '@@ -1,2 +1,2 @@\n-a\n+A\n b');
  assert.equal(unified([...'abcdefghij'], [...'AbcdefghiJ'], 3).match(/^@@/gm)?.length, 2);
  assert.equal(unified([...'abcdefg'], [...'AbcdefG'], 3).match(/^@@/gm)?.length, 1);
  assert.equal(unified(['a'], ['a']), '');
});
