import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

import { Modal } from './modal';

interface FinderProps<Item> {
  label: string;
  /** hint is the placeholder of the input. */
  hint: string;
  query: string;
  onQuery: (query: string) => void;
  /** found are the matching items, best first. */
  found: Item[];
  /** none is shown if nothing matches. */
  none: string;
  /** row renders an item. */
  row: (item: Item) => ComponentChildren;
  /** onPick is called after the finder has closed and the focus has returned. */
  onPick: (item: Item) => void;
  onClose: () => void;
}

/** Finder is a modal list from which the user picks an item by typing. */
export function Finder<Item>({ label, hint, query, onQuery, found, none, row, onPick, onClose }: FinderProps<Item>) {
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const [at, setAt] = useState(0);
  const current = Math.min(at, found.length - 1);
  useEffect(() => list.current!.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [current]);

  const pick = (item: Item | undefined) => {
    if (item === undefined) return;
    onClose();
    setTimeout(() => onPick(item));
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt((current + 1) % Math.max(1, found.length));
    else if (event.key === 'ArrowUp') setAt((current - 1 + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter') pick(found[current]);
    else return;
    event.preventDefault();
  };
  return (
    <Modal class="finder" aria-label={label} onClose={onClose}>
      <input
        class="finder__input"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found.length ? `${id}-${current}` : undefined}
        aria-label={hint}
        placeholder={hint}
        value={query}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => {
          onQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <div class="finder__list" role="listbox" id={id} aria-label={label} ref={list}>
        {found.map((item, index) => (
          <div
            key={index}
            id={`${id}-${index}`}
            class="finder__item"
            role="option"
            aria-selected={index === current}
            onClick={() => pick(item)}
            onPointerMove={() => setAt(index)}
          >
            {row(item)}
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="finder__none">{none}</p>}
    </Modal>
  );
}
