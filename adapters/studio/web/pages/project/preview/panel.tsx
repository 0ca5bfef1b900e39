import Redo2 from 'lucide/dist/esm/icons/redo-2.mjs';
import { useState } from 'preact/hooks';

import { useShortcuts } from '~/app/keys';
import { t } from '~/text';
import { Banner, Button, IconButton, TextField } from '~/ui';
import type { ProjectStore } from '../store';
import type { Editor } from './editor';
import { ImageSection } from './image';
import type { Picked } from './messages';
import { BoxSection, ClassSection, TextSection, TypeSection } from './sections';

/** Panel edits the selected element. */
export function Panel({ store, editor, node }: { store: ProjectStore; editor: Editor; node: boolean }) {
  useKeys(store, editor);
  const picked = editor.picked.value;
  return (
    <aside class="editor" aria-label={t.preview.edit.title}>
      <div class="editor__bar">
        <IconButton
          icon="undo"
          label={t.preview.edit.undo}
          small
          disabled={!editor.canUndo.value}
          onClick={() => void editor.undo()}
        />
        <IconButton
          icon={Redo2}
          label={t.preview.edit.redo}
          small
          disabled={!editor.canRedo.value}
          onClick={() => void editor.redo()}
        />
        <span class="editor__state faint small" role="status">
          {editor.saving.value ? t.preview.edit.saving : editor.canUndo.value ? t.preview.edit.saved : ''}
        </span>
        <IconButton icon="close" label={t.preview.edit.leave} small onClick={() => editor.toggle(false)} />
      </div>
      {editor.problem.value && <Problem store={store} editor={editor} />}
      {picked ? (
        <Element
          key={`${picked.tag} ${picked.trail.join('.')}`}
          store={store}
          editor={editor}
          picked={picked}
          node={node}
        />
      ) : (
        <Hint />
      )}
    </aside>
  );
}

function Problem({ store, editor }: { store: ProjectStore; editor: Editor }) {
  const places = editor.places.value;
  return (
    <div class="editor__problem">
      <Banner kind="error">
        <p>{editor.problem.value}</p>
        {places.map((place) => (
          <p key={`${place.path}:${place.line}`}>
            <button type="button" class="place" onClick={() => store.openFile(place)}>
              <bdi>{`${place.path}:${place.line}`}</bdi>
            </button>
          </p>
        ))}
      </Banner>
    </div>
  );
}

function Hint() {
  return (
    <div class="editor__hint soft">
      <p>{t.preview.edit.hint}</p>
      <p class="small faint">{t.preview.edit.hintKeys}</p>
    </div>
  );
}

function Element({
  store,
  editor,
  picked,
  node,
}: {
  store: ProjectStore;
  editor: Editor;
  picked: Picked;
  node: boolean;
}) {
  const target = editor.target.value;
  const set = (property: string, value: string) => editor.set(property, value);
  const sections = { picked, set, commit: () => editor.flush() };
  return (
    <div class="editor__body">
      <Head store={store} editor={editor} picked={picked} />
      {target ? (
        <>
          {picked.count > 1 && <p class="small soft">{t.preview.edit.many(picked.count)}</p>}
          {picked.src !== null ? <ImageSection store={store} {...sections} /> : <TextSection {...sections} />}
          <TypeSection {...sections} />
          <BoxSection {...sections} />
          <ClassSection {...sections} />
        </>
      ) : (
        <p class="small soft">{node ? t.preview.edit.noSourceNode : t.preview.edit.noSource}</p>
      )}
      <AskSection store={store} editor={editor} picked={picked} />
    </div>
  );
}

function Head({ store, editor, picked }: { store: ProjectStore; editor: Editor; picked: Picked }) {
  const target = editor.target.value;
  const place = target?.place;
  const name = place ? `${place.path}:${place.line}` : target?.path;
  return (
    <div class="editor__head">
      <code class="editor__tag">{`<${picked.tag}>`}</code>
      <div class="editor__moves">
        <IconButton icon="up" label={t.preview.edit.parent} small onClick={() => editor.move('parent')} />
        <IconButton icon="down" label={t.preview.edit.child} small onClick={() => editor.move('child')} />
        <IconButton icon="back" label={t.preview.edit.previous} small onClick={() => editor.move('previous')} />
        <IconButton icon="next" label={t.preview.edit.next} small onClick={() => editor.move('next')} />
      </div>
      {place && (
        <IconButton
          icon="chat"
          label={t.preview.edit.mention}
          small
          onClick={() => store.compose('', [{ type: 'element', tag: picked.tag, ...place }])}
        />
      )}
      {target && (
        <button
          type="button"
          class="place"
          aria-label={`${t.preview.edit.openCode}: ${name}`}
          onClick={() => store.openFile(place ?? { path: target.path })}
        >
          <bdi>{name}</bdi>
        </button>
      )}
    </div>
  );
}

function AskSection({ store, editor, picked }: { store: ProjectStore; editor: Editor; picked: Picked }) {
  const [wish, setWish] = useState('');
  const ask = (event: Event) => {
    event.preventDefault();
    if (!wish.trim()) return;
    const target = editor.target.value;
    const { place, path = '' } = target ?? {};
    if (place) store.ask(wish.trim(), [{ type: 'element', tag: picked.tag, ...place }]);
    else store.ask(t.preview.edit.about(picked.tag, path, (picked.text ?? '').trim().slice(0, 80), wish.trim()));
    setWish('');
  };
  return (
    <form class="editor__section" onSubmit={ask}>
      <TextField
        label={t.preview.edit.askLabel}
        placeholder={t.preview.edit.askHint}
        value={wish}
        onInput={(event) => setWish(event.currentTarget.value)}
      />
      <Button type="submit" small icon="bolt" disabled={!wish.trim()}>
        {t.preview.edit.ask}
      </Button>
    </form>
  );
}

// useKeys binds the keys of selecting and undoing while the pane is shown.
function useKeys(store: ProjectStore, editor: Editor): void {
  useShortcuts(
    store.pane.value === 'preview'
      ? {
          toParent: () => editor.move('parent'),
          toChild: () => editor.move('child'),
          toPrevious: () => editor.move('previous'),
          toNext: () => editor.move('next'),
          undo: () => void editor.undo(),
          redo: () => void editor.redo(),
          leaveEditing: () => editor.toggle(false),
        }
      : {},
  );
}
