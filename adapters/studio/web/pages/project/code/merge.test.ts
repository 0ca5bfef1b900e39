import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Dice } from '~/testing/random';
import { merge } from './merge';

test('merging loses nothing, invents nothing and does not depend on the order', () => {
  const dice = new Dice(11);
  const text = () => dice.list(11, () => dice.of([...'abcdef']));
  let merged = 0;
  for (let round = 0; round < 5000; round++) {
    const base = text();
    const edited = () =>
      dice.below(2) === 0
        ? text()
        : base.toSpliced(dice.below(base.length + 1), dice.below(3), ...dice.list(2, () => dice.of([...'abcdef'])));
    const [mine, theirs] = [edited(), edited()];
    assert.deepEqual(merge(base, mine, base), mine);
    assert.deepEqual(merge(base, base, mine), mine);
    assert.deepEqual(merge(base, mine, mine), mine);
    const both = merge(base, mine, theirs);
    assert.deepEqual(both, merge(base, theirs, mine));
    for (const line of both ?? []) assert([...base, ...mine, ...theirs].includes(line));
    if (both) merged++;
  }
  assert(merged > 500, `got ${merged} merges`);
});

/** altered returns a text with one paragraph changed. Each user has separate paragraphs. */
function altered(base: readonly string[], paragraph: number, dice: Dice, name: string): string[] {
  const at = 4 * paragraph + 1;
  return base.toSpliced(at, dice.below(3), ...dice.list(3, () => `${name} ${dice.below(100)}`));
}

test('two people who merge what the other saved come to the same text', () => {
  const dice = new Dice(12);
  for (let round = 0; round < 500; round++) {
    const paragraphs = 2 + dice.below(5);
    const base = Array.from({ length: 4 * paragraphs }, (_, line) => `line ${line}`);
    const own = dice.below(paragraphs);
    const other = (own + 1 + dice.below(paragraphs - 1)) % paragraphs;
    const [mine, theirs] = [altered(base, own, dice, 'ada'), altered(base, other, dice, 'bob')];
    // Ada saves first; Bob merges and saves; Ada applies Bob's text.
    const bob = merge(base, theirs, mine);
    assert(bob, JSON.stringify([base, mine, theirs]));
    const ada = merge(mine, mine, bob);
    assert.deepEqual(ada, bob);
    for (const line of [...mine, ...theirs]) {
      if (!base.includes(line)) assert(bob.includes(line), `${line} is lost`);
    }
  }
});

test('distant lines go together, neighbours as well', () => {
  assert.deepEqual(merge(['a', 'b', 'c'], ['A', 'b', 'c'], ['a', 'b', 'C']), ['A', 'b', 'C']);
  assert.deepEqual(merge(['a', 'b'], ['A', 'b'], ['a', 'B']), ['A', 'B']);
});

test('two changes of one line clash, and so do two insertions in one place', () => {
  assert.equal(merge(['a', 'b'], ['x', 'b'], ['y', 'b']), null);
  assert.equal(merge(['a', 'b'], ['a', 'x', 'b'], ['a', 'y', 'b']), null);
  assert.equal(merge(['a', 'b'], ['a', 'x', 'b'], ['a']), null);
  assert.equal(merge([], ['x'], ['y']), null);
});

test('a deletion beside a change of another line is kept', () => {
  assert.deepEqual(merge(['a', 'b', 'c', 'd'], ['a', 'c', 'd'], ['a', 'b', 'c', 'D']), ['a', 'c', 'D']);
});
