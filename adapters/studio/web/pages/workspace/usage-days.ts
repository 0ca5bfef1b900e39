// Sums of model usage by day and by model. It does not use the DOM.

import type { UsageRow } from '~/api/types';

export type Measure = 'cost' | 'tokens';

export interface ModelSum {
  model: string;
  input: number;
  /** cached of input was read from the provider's prompt cache. */
  cached: number;
  output: number;
  cost: number;
}

export interface DaySum extends ModelSum {
  /** day is formatted as 2006-01-02, in UTC. */
  day: string;
  /** byModel has the day's sums of the named models; '' is the sum of the others. */
  byModel: Map<string, ModelSum>;
}

/** lastDays returns the days up to today, oldest first, in UTC like the service. */
export function lastDays(count: number, now = Date.now()): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(now - (count - 1 - index) * 86_400_000).toISOString().slice(0, 10),
  );
}

/** measured returns the selected measure of a sum. */
export function measured(sum: ModelSum, measure: Measure): number {
  return measure === 'cost' ? sum.cost : sum.input + sum.output;
}

/** sumByModel sums the rows by model, most used first. */
export function sumByModel(rows: UsageRow[], measure: Measure): ModelSum[] {
  const sums = new Map<string, ModelSum>();
  for (const row of rows) add(sums, row.model, row);
  return [...sums.values()].sort(
    (a, b) => measured(b, measure) - measured(a, measure) || a.model.localeCompare(b.model),
  );
}

/** sumByDay sums the rows by day, with separate sums for the named models. */
export function sumByDay(rows: UsageRow[], days: string[], named: string[]): DaySum[] {
  const sums = new Map(
    days.map((day): [string, DaySum] => [
      day,
      { day, model: '', input: 0, cached: 0, output: 0, cost: 0, byModel: new Map() },
    ]),
  );
  for (const row of rows) {
    const day = sums.get(row.day);
    if (!day) continue;
    grow(day, row);
    add(day.byModel, named.includes(row.model) ? row.model : '', row);
  }
  return [...sums.values()];
}

/** niceTop rounds a value up for the top of an axis. */
export function niceTop(value: number): number {
  if (value <= 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * unit).find((top) => top >= value * 0.9999)!;
}

function add(sums: Map<string, ModelSum>, model: string, row: UsageRow): void {
  const sum = sums.get(model) ?? { model, input: 0, cached: 0, output: 0, cost: 0 };
  grow(sum, row);
  sums.set(model, sum);
}

function grow(sum: ModelSum, row: UsageRow): void {
  sum.input += row.inputTokens;
  sum.cached += row.cachedTokens;
  sum.output += row.outputTokens;
  sum.cost += row.cost;
}
