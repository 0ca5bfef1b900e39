import { useEffect, useRef, useState } from 'preact/hooks';

import { t } from '~/text';
import { Button, Empty, IconButton, Select, TextField } from '~/ui';
import type { ConsoleEntry, Place, ProjectStore } from '../store';

type Level = 'all' | 'error' | 'warn';

/** countErrors counts the errors among the page's messages. */
export function countErrors(entries: ConsoleEntry[]): number {
  return entries.filter(({ level }) => level === 'error').length;
}

/** Console shows the messages of the preview's pages, as plain text. */
export function Console({ store, onClose }: { store: ProjectStore; onClose: () => void }) {
  const [level, setLevel] = useState<Level>('all');
  const [query, setQuery] = useState('');
  const entries = store.console.value;
  const shown = entries.filter(
    (entry) =>
      (level === 'all' || entry.level === level) &&
      `${entry.message} ${entry.source ?? ''}`.toLowerCase().includes(query.toLowerCase()),
  );
  return (
    <section class="console" aria-label={t.preview.console.title}>
      <div class="console__bar">
        <h2>{t.preview.console.title}</h2>
        <Select
          label={t.preview.console.levels}
          hideLabel
          value={level}
          onChange={(event) => setLevel(event.currentTarget.value as Level)}
        >
          <option value="all">{t.preview.console.all}</option>
          <option value="error">{t.preview.console.onlyErrors}</option>
          <option value="warn">{t.preview.console.onlyWarnings}</option>
        </Select>
        <TextField
          label={t.preview.console.filter}
          hideLabel
          type="search"
          placeholder={t.preview.console.filter}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <Button
          kind="quiet"
          small
          disabled={entries.length === 0}
          onClick={() => {
            store.console.value = [];
          }}
        >
          {t.preview.console.clear}
        </Button>
        <IconButton icon="close" label={t.shell.close} small onClick={onClose} />
      </div>
      {entries.length === 0 ? (
        <Empty icon="terminal" title={t.preview.console.empty}>
          {t.preview.console.emptyHint}
        </Empty>
      ) : shown.length === 0 ? (
        <p class="console__none soft">{t.preview.console.none}</p>
      ) : (
        <Entries store={store} entries={shown} />
      )}
    </section>
  );
}

function Entries({ store, entries }: { store: ProjectStore; entries: ConsoleEntry[] }) {
  const list = useRef<HTMLOListElement>(null);
  // Scroll to new messages unless the user reads older ones.
  const atEnd = useRef(true);
  useEffect(() => {
    if (atEnd.current) list.current!.scrollTop = list.current!.scrollHeight;
  }, [entries.length]);
  // The list may be gone when its last event comes.
  const look = ({ currentTarget: { scrollTop, clientHeight, scrollHeight } }: { currentTarget: Element }) => {
    atEnd.current = scrollTop + clientHeight > scrollHeight - 20;
  };
  return (
    <ol class="console__list" ref={list} tabIndex={0} aria-label={t.preview.console.title} onScroll={look}>
      {entries.map((entry, index) => (
        <Entry key={index} store={store} entry={entry} />
      ))}
    </ol>
  );
}

function Entry({ store, entry }: { store: ProjectStore; entry: ConsoleEntry }) {
  const place = placeOf(entry, store);
  const name = place && [place.path, place.line, place.column].filter(Boolean).join(':');
  const fix = () => store.ask(t.preview.fixRuntime(entry.message, name ?? ''));
  return (
    <li class="console__entry">
      <span class={`badge badge--${entry.level === 'error' ? 'danger' : 'warning'}`}>
        {t.preview.console.level[entry.level] ?? entry.level.slice(0, 20)}
      </span>
      <div class="console__message">
        <bdi>{entry.message}</bdi>
        {place && (
          <button
            type="button"
            class="place"
            aria-label={t.preview.console.openAt(name!)}
            onClick={() => store.openFile(place)}
          >
            <bdi>{name}</bdi>
          </button>
        )}
      </div>
      {entry.level === 'error' && (
        <Button kind="quiet" small icon="bolt" onClick={fix}>
          {t.preview.fix}
        </Button>
      )}
    </li>
  );
}

// placeOf returns the place of a message in the project's files, or null.
function placeOf({ source, line, column }: ConsoleEntry, store: ProjectStore): Place | null {
  const path = (source ?? '').replace(/^\//, '').replace(/[?#].*$/, '');
  return store.files.value.some((file) => file.path === path)
    ? { path, line: line || undefined, column: column || undefined }
    : null;
}
