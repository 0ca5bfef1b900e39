import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { UsageRow } from '~/api/types';
import { Dice } from '~/testing/random';
import { lastDays, measured, niceTop, sumByDay, sumByModel } from './usage-days';

const row = (day: string, model: string, inputTokens: number, outputTokens: number, cost: number): UsageRow => ({
  day,
  model,
  inputTokens,
  cachedTokens: inputTokens / 2,
  outputTokens,
  cost,
});

test('the last days are counted in UTC, over the ends of months and of leap years', () => {
  assert.deepEqual(lastDays(3, Date.UTC(2028, 2, 1, 0, 0, 0)), ['2028-02-28', '2028-02-29', '2028-03-01']);
  assert.deepEqual(lastDays(2, Date.UTC(2027, 0, 1, 23, 59, 59, 999)), ['2026-12-31', '2027-01-01']);
  assert.deepEqual(lastDays(0), []);
  const month = lastDays(30, Date.UTC(2026, 2, 30, 1));
  assert.equal(new Set(month).size, 30);
});

test('models are sorted by what is measured, then by name', () => {
  const rows = [row('d', 'b', 5, 5, 1), row('d', 'a', 50, 5, 1), row('e', 'c', 0, 0, 2), row('e', 'b', 100, 0, 0)];
  assert.deepEqual(
    sumByModel(rows, 'cost').map(({ model }) => model),
    ['c', 'a', 'b'],
  );
  assert.deepEqual(
    sumByModel(rows, 'tokens').map((sum) => [sum.model, measured(sum, 'tokens')]),
    [
      ['b', 110],
      ['a', 55],
      ['c', 0],
    ],
  );
});

test('days have all that was used, and nothing from other days', () => {
  const dice = new Dice(31);
  const days = ['2026-01-01', '2026-01-02', '2026-01-03'];
  for (let round = 0; round < 200; round++) {
    const rows = dice.list(20, () =>
      row(dice.of([...days, '2025-12-31']), dice.of(['a', 'b', 'c']), dice.below(9), dice.below(9), dice.below(9)),
    );
    const sums = sumByDay(rows, days, ['a']);
    assert.deepEqual(
      sums.map(({ day }) => day),
      days,
    );
    for (const sum of sums) {
      const own = rows.filter(({ day }) => day === sum.day);
      assert.equal(
        sum.cost,
        own.reduce((total, { cost }) => total + cost, 0),
      );
      const parts = [...sum.byModel.values()];
      assert.equal(
        parts.reduce((total, { input }) => total + input, 0),
        sum.input,
      );
      assert([...sum.byModel.keys()].every((model) => model === 'a' || model === ''));
    }
  }
});

test('the top of an axis is round, at or above the value, and not far above', () => {
  assert.deepEqual([0, -3, 1, 1.2, 7, 99, 1001, 0.00012].map(niceTop), [1, 1, 1, 1.5, 8, 100, 1500, 0.00015]);
  const dice = new Dice(32);
  for (let round = 0; round < 2000; round++) {
    const value = (1 + dice.below(100_000)) / 10 ** dice.below(8);
    const top = niceTop(value);
    assert(top >= value * 0.9999 && top <= value * 2, `${value}: ${top}`);
  }
});
