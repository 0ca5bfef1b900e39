// The list of steps that the agent keeps, as its calls of the tool todo give it.

import type { Item, ToolItem } from './log';

/** Step is one step of the list. */
export interface Step {
  text: string;
  state: 'open' | 'doing' | 'done';
}

/** isTodo reports whether an entry is shown by the list instead of a line of its own. */
export function isTodo(item: Item): boolean {
  return item.kind === 'tool' && item.tool === 'todo';
}

/** isAsk reports whether an entry is a question to the person. */
export function isAsk(item: ToolItem): boolean {
  return item.tool === 'ask_person';
}

/** stepsOf returns the newest list in the entries of a turn; it is empty if there is none. */
export function stepsOf(items: Item[]): Step[] {
  const calls = items.filter((one): one is ToolItem => one.kind === 'tool' && one.tool === 'todo');
  const given = calls.findLast(({ state }) => state !== 'failed')?.args.items;
  if (!Array.isArray(given)) return [];
  return given.flatMap((one: unknown): Step[] => {
    const { text, state } = (one ?? {}) as { text?: unknown; state?: unknown };
    if (typeof text !== 'string' || text.trim() === '') return [];
    return [{ text, state: state === 'done' || state === 'doing' ? state : 'open' }];
  });
}
