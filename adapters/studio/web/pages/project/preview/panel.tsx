import Redo2 from 'lucide/dist/esm/icons/redo-2.mjs';
import { useEffect, useState } from 'preact/hooks';

import { useLoad } from '~/api/load';
import { useShortcuts } from '~/app/keys';
import { t } from '~/text';
import { Banner, Button, IconButton, TextField } from '~/ui';
import type { Place, ProjectStore } from '../store';
import type { Editor } from './editor';
import { ImageSection } from './image';
import type { Limits } from './limits';
import type { Picked } from './messages';
import { nameOf } from './names';
import { Section } from './section';
import {
  BorderSection,
  BoxSection,
  ClassSection,
  LayoutSection,
  SpaceSection,
  TextSection,
  TypeSection,
} from './sections';
import { VariantBar } from './variants';

/** Panel edits the selected element. */
export function Panel({ store, editor, node }: { store: ProjectStore; editor: Editor; node: boolean }) {
  useKeys(store, editor);
  const [layers, showLayers] = useState(false);
  const [theme, showTheme] = useState(false);
  const { data: tools } = useLoad('tools', () => import('./several'));
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
        {tools && <tools.LayersButton on={layers} onChange={showLayers} />}
        {tools && <tools.ThemeButton on={theme} onChange={showTheme} />}
      </div>
      {tools && layers && <tools.LayersBox editor={editor} />}
      {editor.problem.value && <Problem store={store} editor={editor} />}
      {theme && tools ? (
        <tools.ThemeBox store={store} editor={editor} />
      ) : picked ? (
        <Element
          key={`${picked.tag} ${picked.trail.join('.')}`}
          tools={tools}
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
          <PlaceLink key={`${place.path}:${place.line}`} store={store} place={place} />
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
  tools,
  store,
  editor,
  picked,
  node,
}: {
  tools: typeof import('./several') | undefined;
  store: ProjectStore;
  editor: Editor;
  picked: Picked;
  node: boolean;
}) {
  const isSeveral = editor.others.value.length > 0;
  const target = editor.target.value;
  const limits = editor.limits.value;
  const { styling } = editor;
  const { styles, declared } = styling.stylesOf(picked);
  const sections = {
    picked: { ...picked, styles },
    declared,
    theme: styling.theme.value,
    set: (property: string, value: string, token?: string) => editor.set(property, value, token),
    commit: () => editor.flush(),
  };
  return (
    <div class="editor__body">
      {isSeveral && tools ? (
        <tools.Several store={store} editor={editor} picked={picked} />
      ) : (
        <>
          <Head store={store} editor={editor} picked={picked} />
          <AskSection store={store} editor={editor} picked={picked} />
        </>
      )}
      {tools && <tools.PlaceBar editor={editor} />}
      {target ? (
        <>
          {picked.count > 1 && !isSeveral && <p class="small soft">{t.preview.edit.many(picked.count)}</p>}
          {isSeveral ? null : picked.src !== null ? (
            <ImageSection store={store} {...sections} />
          ) : limits?.text ? (
            <FixedText store={store} editor={editor} text={picked.text ?? ''} limits={limits} place={target.place} />
          ) : (
            <TextSection {...sections} unknown={limits === null} />
          )}
          {limits?.style ? (
            <FixedStyle store={store} place={target.place} />
          ) : (
            <>
              {sections.theme && <VariantBar styling={styling} />}
              <TypeSection {...sections} />
              <SpaceSection {...sections} />
              <BoxSection {...sections} />
              <LayoutSection {...sections} />
              <BorderSection {...sections} />
              {!isSeveral && <ClassSection {...sections} />}
            </>
          )}
        </>
      ) : (
        <p class="small soft">{node ? t.preview.edit.noSourceNode : t.preview.edit.noSource}</p>
      )}
    </div>
  );
}

// mostPlaces is how many places a text may come from are shown.
const mostPlaces = 3;

// FixedText shows a text that cannot be changed on the page as it is, and where it may come from.
function FixedText({
  store,
  editor,
  text,
  limits: { choices, places },
  place,
}: {
  store: ProjectStore;
  editor: Editor;
  text: string;
  limits: Limits;
  place: Place | null;
}) {
  const from = choices.length > 0 ? [] : places.length > 0 ? places.slice(0, mostPlaces) : place ? [place] : [];
  return (
    <Section title={t.preview.edit.text}>
      <p class="editor__fixed">{text}</p>
      <p class="small soft">{choices.length > 0 ? t.preview.edit.textChoices : t.preview.edit.textComputed}</p>
      {choices.map((source) => (
        <Button key={source.path} small icon="edit" onClick={() => editor.writeIn(source)}>
          <bdi>{source.path}</bdi>
        </Button>
      ))}
      {from.map((at) => (
        <PlaceLink key={`${at.path}:${at.line}`} store={store} place={at} />
      ))}
    </Section>
  );
}

// FixedStyle says that the code decides how the element looks.
function FixedStyle({ store, place }: { store: ProjectStore; place: Place | null }) {
  return (
    <Section title={t.preview.edit.style}>
      <p class="small soft">{t.preview.edit.styleComputed}</p>
      {place && <PlaceLink store={store} place={place} />}
    </Section>
  );
}

function PlaceLink({ store, place }: { store: ProjectStore; place: Place }) {
  return (
    <p>
      <button type="button" class="place" onClick={() => store.openFile(place)}>
        <bdi>{`${place.path}:${place.line}`}</bdi>
      </button>
    </p>
  );
}

function Head({ store, editor, picked }: { store: ProjectStore; editor: Editor; picked: Picked }) {
  const target = editor.target.value;
  const place = target?.place;
  const name = place ? `${place.path}:${place.line}` : target?.path;
  useEffect(() => {
    store.selected.value = place ? { type: 'element', tag: picked.tag, ...place } : null;
    return () => {
      store.selected.value = null;
    };
  }, [place, picked.tag]);
  return (
    <div class="editor__head">
      <h2 class="editor__tag">{nameOf(picked.tag)}</h2>
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
