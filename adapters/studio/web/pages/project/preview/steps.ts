// The steps of visual editing that can be taken back, kept for when the page is loaded
// again. A step that the file has outgrown says so when it is taken.

import type { Step } from './sources';

export interface Steps {
  done: Step[];
  undone: Step[];
}

const longest = 200_000;

/** keptSteps are those that a person made in a project with this browser. */
export function keptSteps(memory: string): Steps {
  try {
    const kept = JSON.parse(localStorage.getItem(memory) ?? '{}') as Partial<Steps>;
    return { done: stepsOf(kept.done), undone: stepsOf(kept.undone) };
  } catch {
    return { done: [], undone: [] };
  }
}

function stepsOf(kept: unknown): Step[] {
  return Array.isArray(kept)
    ? kept.filter((step: Partial<Step> | null) => typeof step?.path === 'string' && typeof step.diff === 'string')
    : [];
}

/** keepSteps keeps steps, the newest as far as there is room. */
export function keepSteps(memory: string, { done, undone }: Steps): void {
  let first = 0;
  let text = JSON.stringify({ done, undone });
  for (; text.length > longest && first < done.length; text = JSON.stringify({ done: done.slice(first), undone }))
    first += 1;
  try {
    if (done.length + undone.length === 0) localStorage.removeItem(memory);
    else localStorage.setItem(memory, text);
  } catch {
    // The storage is full: undo lasts as long as the page does.
  }
}
