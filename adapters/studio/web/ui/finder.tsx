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
  /** groupOf names the group of an item, if it has one; items of a group follow each other. */
  groupOf?: (item: Item) => string | undefined;
  /** none is shown if nothing matches. */
  none: string;
  /** row renders an item. */
  row: (item: Item) => ComponentChildren;
  /** onPick is called after the finder has closed and the focus has returned. */
  onPick: (item: Item) => void;
  onClose: () => void;
  /** foot is shown below the list. */
  foot?: ComponentChildren;
}

/** Finder is a modal list from which the user picks an item by typing. */
export function Finder<Item>({
  label,
  hint,
  query,
  onQuery,
  found,
  groupOf,
  none,
  row,
  onPick,
  onClose,
  foot,
}: FinderProps<Item>) {
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
        {grouped(found, groupOf).map(({ name, first, items }) => {
          const options = items.map((item, offset) => (
            <div
              key={first + offset}
              id={`${id}-${first + offset}`}
              class="finder__item"
              role="option"
              aria-selected={first + offset === current}
              onClick={() => pick(item)}
              onPointerMove={() => setAt(first + offset)}
            >
              {row(item)}
            </div>
          ));
          return name === undefined ? (
            options
          ) : (
            <div key={name} role="group" aria-label={name}>
              <div class="finder__group" aria-hidden="true">
                {name}
              </div>
              {options}
            </div>
          );
        })}
      </div>
      {found.length === 0 && <p class="finder__none">{none}</p>}
      {foot && <div class="finder__foot">{foot}</div>}
    </Modal>
  );
}

interface Group<Item> {
  name: string | undefined;
  /** first is the index of the group's first item. */
  first: number;
  items: Item[];
}

function grouped<Item>(found: Item[], groupOf?: (item: Item) => string | undefined): Group<Item>[] {
  const groups: Group<Item>[] = [];
  for (const [index, item] of found.entries()) {
    const name = groupOf?.(item);
    const last = groups.at(-1);
    if (last && last.name === name) last.items.push(item);
    else groups.push({ name, first: index, items: [item] });
  }
  return groups;
}
