// The undo and redo steps of visual editing, stored through reloads. A step that no longer
// fits the file fails when it is taken.

import { browserStorage, isAnything, isText, recordOf } from '~/storage';
import type { Step } from './sources';

export interface Steps {
  done: Step[];
  undone: Step[];
}

const longest = 200_000;

/** keptSteps are those that a person made in a project with this browser. */
export function keptSteps(memory: string): Steps {
  const kept = browserStorage.read(memory, isObject) ?? {};
  return { done: stepsOf(kept.done), undone: stepsOf(kept.undone) };
}

const isObject = recordOf<{ done?: unknown; undone?: unknown }>({ done: isAnything, undone: isAnything });
const isStep = recordOf<Step>({ path: isText, diff: isText });

function stepsOf(kept: unknown): Step[] {
  return Array.isArray(kept) ? kept.filter(isStep) : [];
}

/** keepSteps keeps steps, the newest as far as there is room. */
export function keepSteps(memory: string, { done, undone }: Steps): void {
  let first = 0;
  let text = JSON.stringify({ done, undone });
  for (; text.length > longest && first < done.length; text = JSON.stringify({ done: done.slice(first), undone }))
    first += 1;
  // In a storage that is full they last as long as the page does.
  if (done.length + undone.length === 0) browserStorage.remove(memory);
  else browserStorage.setText(memory, text);
}
