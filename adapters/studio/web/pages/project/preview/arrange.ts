// Moves, copies, wraps and deletes elements in their sources.

import { t } from '~/text';
import type { Other, PageMessage, Picked, Spot } from './messages';
import { byFile, type Patch } from './sources';
import type { Found, Target } from './target';

type Message = Extract<PageMessage, { type: 'drop' | 'arrange' }>;

/** Arranger is what an arrangement needs of the editor. */
interface Arranger {
  picked: { value: Picked | null };
  others: { value: Other[] };
  problem: { value: string | null };
  foundOf: (spot: Spot) => Found | null;
  act: (
    found: Found[],
    patchesOf: (present: Target[]) => { path: string; patches: (Patch & { selector: string })[] }[],
    next: { trail: number[]; tag: string },
  ) => void;
}

const plain = { property: '', value: '' };

/** arrange does what the user asked for on the page, in the layers or in the panel. */
export function arrange(editor: Arranger, message: Message): void {
  if (message.type === 'drop') move(editor, message);
  else change(editor, message.to);
}

function move(editor: Arranger, { from, to, after, trail }: Extract<Message, { type: 'drop' }>): void {
  const [source, target] = [from && editor.foundOf(from), to && editor.foundOf(to)];
  if (!from || !source || !target || source.target.path !== target.target.path) {
    editor.problem.value = from && to ? t.preview.edit.otherFile : t.preview.edit.otherParent;
    return;
  }
  editor.act(
    [source, target],
    ([moved, beside]) => [
      {
        path: moved!.path,
        patches: [
          { ...plain, selector: moved!.selector, action: after ? 'after' : 'before', target: beside!.selector },
        ],
      },
    ],
    { trail, tag: from.tag },
  );
}

function change(editor: Arranger, to: 'delete' | 'duplicate' | 'wrap'): void {
  const picked = editor.picked.value;
  if (!picked) return;
  const found = [picked, ...editor.others.value].map((spot) => editor.foundOf(spot));
  const known = found.filter((one): one is Found => one !== null);
  if (known.length < found.length) {
    editor.problem.value = t.preview.edit.noSource;
    return;
  }
  const nobody = { trail: [], tag: '' };
  const next = picked.trail.at(-1)! + 1;
  if (to === 'wrap') {
    if (known.some(({ target }) => target.path !== known[0]!.target.path)) {
      editor.problem.value = t.preview.edit.otherFile;
      return;
    }
    editor.act(
      known,
      (present) => {
        const ordered = [...present].sort(inSource);
        const [first, last] = [ordered[0]!, ordered.at(-1)!];
        const target = last.selector === first.selector ? {} : { target: last.selector };
        return [{ path: first.path, patches: [{ ...plain, selector: first.selector, action: 'wrap', ...target }] }];
      },
      nobody,
    );
    return;
  }
  editor.act(
    known,
    (present) => byFile(present, ({ selector }) => ({ ...plain, selector, action: to })),
    to === 'duplicate' && known.length === 1
      ? { trail: [...picked.trail.slice(0, -1), next], tag: picked.tag }
      : nobody,
  );
}

function inSource(a: Found['target'], b: Found['target']): number {
  if (!a.place || !b.place) return 0;
  return a.place.line - b.place.line || a.place.column - b.place.column;
}
