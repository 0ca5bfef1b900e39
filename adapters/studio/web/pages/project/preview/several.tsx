import Group from 'lucide/dist/esm/icons/group.mjs';
import Layers2 from 'lucide/dist/esm/icons/layers.mjs';
import Palette from 'lucide/dist/esm/icons/palette.mjs';
import { useState } from 'preact/hooks';

import { useLoad } from '~/api/load';
import { useShortcuts } from '~/app/keys';
import { t } from '~/text';
import { Button, IconButton, TextField } from '~/ui';
import type { ProjectStore } from '../store';
import type { Editor } from './editor';
import type { Picked } from './messages';
import { nameOf } from './names';
import type { Refusal } from './sources';

/** PlaceBar moves, copies, wraps and deletes what is picked. */
export function PlaceBar({ editor }: { editor: Editor }) {
  const words = t.preview.edit;
  const isSeveral = editor.others.value.length > 0;
  const why = isSeveral ? null : (editor.limits.value?.place ?? null);
  const isFixed = why !== null || !editor.target.value;
  useShortcuts(
    isFixed
      ? {}
      : {
          moveEarlier: () => editor.arrange('earlier'),
          moveLater: () => editor.arrange('later'),
          duplicate: () => editor.arrange('duplicate'),
          deleteElement: () => editor.arrange('delete'),
        },
  );
  if (!editor.target.value) return null;
  if (why !== null)
    return (
      <p class="small soft">
        {words.placeFixed} {wordsOf(why)}
      </p>
    );
  return (
    <div class="editor__moves" role="toolbar" aria-label={words.place}>
      <IconButton
        icon="up"
        label={words.earlier}
        small
        disabled={isSeveral}
        onClick={() => editor.arrange('earlier')}
      />
      <IconButton icon="down" label={words.later} small disabled={isSeveral} onClick={() => editor.arrange('later')} />
      <IconButton icon="copy" label={words.duplicate} small onClick={() => editor.arrange('duplicate')} />
      <IconButton icon={Group} label={words.wrap} small onClick={() => editor.arrange('wrap')} />
      <IconButton icon="trash" label={words.delete} small onClick={() => editor.arrange('delete')} />
    </div>
  );
}

// wordsOf says in plain words what the service says of the source.
function wordsOf({ reason }: Refusal): string {
  const words = t.preview.edit;
  return { loop: words.placeLoop, whole: words.placeRoot, expression: words.placeCode, '': words.placeCode }[reason];
}

/** Several lists the elements that are picked together, and asks the agent about them. */
export function Several({ store, editor, picked }: { store: ProjectStore; editor: Editor; picked: Picked }) {
  const [wish, setWish] = useState('');
  const words = t.preview.edit;
  const all = [picked, ...editor.others.value];
  const fixed = editor.fixed.value;
  const ask = (event: Event) => {
    event.preventDefault();
    const references = all.flatMap((one) => {
      const place = editor.foundOf(one)?.target.place;
      return place ? [{ type: 'element' as const, tag: one.tag, ...place }] : [];
    });
    store.ask(wish.trim(), references);
    setWish('');
  };
  return (
    <>
      <h2 class="editor__tag">{words.several(all.length)}</h2>
      <p class="small soft">{words.severalHint}</p>
      <ul class="small">
        {all.map((one) => (
          <li key={one.trail.join('.')}>
            {nameOf(one.tag)} <span class="faint">{one.says.slice(0, 40)}</span>
            {fixed.has(one.trail.join('.')) && <p class="soft">{words.severalFixed}</p>}
          </li>
        ))}
      </ul>
      <form class="editor__section" onSubmit={ask}>
        <TextField
          label={words.askLabel}
          placeholder={words.askHint}
          value={wish}
          onInput={(event) => setWish(event.currentTarget.value)}
        />
        <Button type="submit" small icon="bolt" disabled={!wish.trim()}>
          {words.ask}
        </Button>
      </form>
    </>
  );
}

/** LayersButton shows or hides the layers. */
export function LayersButton({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  return (
    <IconButton icon={Layers2} label={t.preview.edit.layers} small aria-pressed={on} onClick={() => onChange(!on)} />
  );
}

/** LayersBox loads the tree of layers and shows it. */
export function LayersBox({ editor }: { editor: Editor }) {
  const { data } = useLoad('layers', () => import('./layers'));
  return data ? <data.default editor={editor} /> : null;
}

/** ThemeButton shows or hides the theme. */
export function ThemeButton({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  return (
    <IconButton
      icon={Palette}
      label={t.preview.edit.theme.title}
      small
      aria-pressed={on}
      onClick={() => onChange(!on)}
    />
  );
}

/** ThemeBox loads the editor of the theme and shows it. */
export function ThemeBox({ store, editor }: { store: ProjectStore; editor: Editor }) {
  const { data } = useLoad('theming', () => import('./theming/panel'));
  return data ? <data.default store={store} editor={editor} /> : null;
}
