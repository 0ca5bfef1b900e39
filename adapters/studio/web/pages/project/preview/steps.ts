// The undo and redo steps of visual editing, stored so that they survive reloads. Taking a
// step fails if it no longer fits the file.

import { browserStorage, isAnything, isText, recordOf } from '~/storage';
import type { Step } from './sources';

export interface Steps {
  done: Step[];
  undone: Step[];
}

const longest = 200_000;

/** keptSteps returns the stored steps. */
export function keptSteps(memory: string): Steps {
  const kept = browserStorage.read(memory, isObject) ?? {};
  return { done: stepsOf(kept.done), undone: stepsOf(kept.undone) };
}

const isObject = recordOf<{ done?: unknown; undone?: unknown }>({ done: isAnything, undone: isAnything });
const isEdit = recordOf<Step['edits'][number]>({ path: isText, diff: isText });

function stepsOf(kept: unknown): Step[] {
  return Array.isArray(kept) ? kept.map(stepOf).filter((step) => step !== null) : [];
}

// A part of a step would not fit the files.
function stepOf(kept: unknown): Step | null {
  const edits: unknown = (kept as { edits?: unknown } | null)?.edits;
  return Array.isArray(edits) && edits.length > 0 && edits.every(isEdit) ? { edits } : null;
}

/** keepSteps stores steps, as many of the newest as fit. */
export function keepSteps(memory: string, { done, undone }: Steps): void {
  let first = 0;
  let text = JSON.stringify({ done, undone });
  for (; text.length > longest && first < done.length; text = JSON.stringify({ done: done.slice(first), undone }))
    first += 1;
  // If the storage is full, steps last until the page is reloaded.
  if (done.length + undone.length === 0) browserStorage.remove(memory);
  else browserStorage.setText(memory, text);
}
