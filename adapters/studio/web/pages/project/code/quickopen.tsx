import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';

import { t } from '~/text';
import { Icon } from '~/ui';
import type { Desk } from './desk';
import { folderOf, nameOf } from './tree/model';

const most = 50;

/** QuickOpen opens a file by a part of its name. */
export function QuickOpen({ desk, onClose }: { desk: Desk; onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const files = desk.store.files.value;
  const found = useMemo(() => ranked(files.map(({ path }) => path), query), [files, query]);
  const current = Math.min(at, found.length - 1);
  useEffect(() => {
    const before = document.activeElement;
    ref.current!.showModal();
    return () => { if (before instanceof HTMLElement) before.focus(); };
  }, []);
  useEffect(() => ref.current!.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [current]);
  const open = (path: string | undefined) => {
    if (!path) return;
    onClose();
    // The dialog gives the focus back first, so that the editor may have it.
    setTimeout(() => desk.show({ path }));
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt((current + 1) % Math.max(1, found.length));
    else if (event.key === 'ArrowUp') setAt((current - 1 + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter') open(found[current]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={ref} class="palette" aria-label={t.code.quickOpen} onCancel={(event) => { event.preventDefault(); onClose(); }} onClick={(event) => { if (event.target === ref.current) onClose(); }}>
      <input
        class="palette__input" role="combobox" aria-expanded="true" aria-controls={id} aria-activedescendant={found.length ? `${id}-${current}` : undefined}
        aria-label={t.code.quickOpenHint} placeholder={t.code.quickOpenHint} value={query} autocomplete="off" spellcheck={false}
        onInput={(event) => { setQuery(event.currentTarget.value); setAt(0); }} onKeyDown={onKey}
      />
      <div class="palette__list" role="listbox" id={id} aria-label={t.code.files}>
        {found.map((path, index) => (
          <div key={path} id={`${id}-${index}`} class="palette__item" role="option" aria-selected={index === current} onClick={() => open(path)} onPointerMove={() => setAt(index)}>
            <Icon name="file" />
            <bdi>{nameOf(path)}</bdi>
            <bdi class="faint small">{folderOf(path)}</bdi>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="palette__none">{t.code.noSuchFile}</p>}
    </dialog>
  );
}

/** ranked are the paths that have the letters of a query in their order, best first. */
function ranked(paths: string[], query: string): string[] {
  const wanted = query.trim().toLowerCase().replace(/\s+/g, '');
  if (!wanted) return paths.slice(0, most);
  return paths.map((path) => ({ path, score: scoreOf(path.toLowerCase(), wanted) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.path.length - b.path.length)
    .slice(0, most).map(({ path }) => path);
}

// scoreOf is 0 where the letters are not; a run in the name counts more than one in
// the path, and that more than letters here and there.
function scoreOf(path: string, wanted: string): number {
  const name = nameOf(path);
  if (name.startsWith(wanted)) return 4;
  if (name.includes(wanted)) return 3;
  if (path.includes(wanted)) return 2;
  let from = 0;
  for (const letter of wanted) {
    from = path.indexOf(letter, from) + 1;
    if (from === 0) return 0;
  }
  return 1;
}
