import type { RefObject } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Command } from '~/api/types';
import { t } from '~/text';
import { Icon, type IconName } from '~/ui';
import { ranked } from '../rank';
import type { ProjectStore } from '../store';
import { useOnce } from './once';
import { filled, type Token, tokenAt } from './suggest';

/** shown bounds the files in the list. */
const shown = 8;

interface Offer {
  icon: IconName;
  name: string;
  hint: string;
  insert: string;
}

/** Suggestions is a list of what the user may mean by the token at the caret. */
export interface Suggestions {
  id: string;
  offers: Offer[];
  at: number;
  /** onCaret is called when the caret may have moved. */
  onCaret: () => void;
  /** onKey reports whether a key was for the list. */
  onKey: (event: KeyboardEvent) => boolean;
  onBlur: () => void;
  pick: (offer: Offer) => void;
}

/** useSuggestions offers commands and files for the text of a field. */
export function useSuggestions(
  store: ProjectStore,
  field: RefObject<HTMLTextAreaElement | null>,
  text: string,
  write: (text: string) => void,
): Suggestions {
  const id = useId();
  const [caret, setCaret] = useState(-1);
  const [at, setAt] = useState(0);
  const [closed, setClosed] = useState('');
  const target = useRef<number | null>(null);
  const wid = store.project.value.workspaceId;
  const commands = useOnce<Command[]>(
    async () => (await api.get<{ items: Command[] }>(`/workspaces/${wid}/commands`)).items,
    [],
  );
  const token = caret < 0 ? null : tokenAt(text, caret);
  const isCommand = token?.kind === 'command';
  const key = token ? `${token.kind} ${token.query}` : '';
  useEffect(() => {
    if (isCommand) commands.load();
  }, [isCommand]);
  useEffect(() => setAt(0), [key]);
  // The caret moves once the new text is in the field.
  useLayoutEffect(() => {
    if (target.current === null) return;
    field.current?.setSelectionRange(target.current, target.current);
    setCaret(target.current);
    target.current = null;
  });
  const offers = !token || closed === key ? [] : isCommand ? commandsFor(commands.data, token) : filesFor(store, token);
  const current = Math.min(at, Math.max(0, offers.length - 1));
  const pick = (offer: Offer) => {
    const next = filled(text, token!, offer.insert);
    target.current = next.caret;
    write(next.text);
    field.current?.focus();
  };
  const onKey = (event: KeyboardEvent): boolean => {
    const offer = offers[current];
    if (!offer || event.isComposing) return false;
    if (event.key === 'ArrowDown') setAt((current + 1) % offers.length);
    else if (event.key === 'ArrowUp') setAt((current - 1 + offers.length) % offers.length);
    else if (event.key === 'Escape') setClosed(key);
    // Enter sends what is already written in full.
    else if (event.key === 'Enter' && text.slice(token!.from, token!.to) === offer.insert) return false;
    else if ((event.key === 'Enter' && !event.shiftKey) || (event.key === 'Tab' && !event.shiftKey)) pick(offer);
    else return false;
    event.preventDefault();
    return true;
  };
  const onCaret = () => setCaret(field.current?.selectionEnd ?? -1);
  return { id, offers, at: current, onCaret, onKey, onBlur: () => setCaret(-1), pick };
}

function commandsFor(commands: Command[], { query }: Token): Offer[] {
  return commands
    .filter(({ name }) => name.startsWith(query))
    .map(({ name, description, builtIn }) => ({
      icon: builtIn ? builtInIcons[name as keyof typeof builtInIcons] : 'bolt',
      name: `/${name}`,
      hint: (builtIn && t.chat.commandHints[name as keyof typeof t.chat.commandHints]) || description,
      insert: `/${name}`,
    }));
}

const builtInIcons = { check: 'check', fix: 'bolt', plan: 'plan' } as const;

// filesFor offers files, those that changed last first.
function filesFor(store: ProjectStore, { query }: Token): Offer[] {
  const files = store.files.value.filter(({ path }) => !/\s/.test(path));
  const recent = files.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0));
  return ranked(
    recent.map(({ path }) => path),
    query,
  )
    .slice(0, shown)
    .map((path) => {
      const at = path.lastIndexOf('/');
      return { icon: 'file', name: path.slice(at + 1), hint: path.slice(0, Math.max(0, at)), insert: `@${path}` };
    });
}

/** SuggestionList shows the suggestions above the composer. */
export function SuggestionList({ of }: { of: Suggestions }) {
  const { id, offers, at } = of;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [at]);
  return (
    <>
      <p class="visually-hidden" role="status">
        {offers.length > 0 && t.chat.suggested(offers.length)}
      </p>
      {offers.length > 0 && (
        <div class="suggest" role="listbox" id={id} aria-label={t.chat.suggestionList} ref={list}>
          {offers.map((offer, index) => (
            <div
              key={offer.insert}
              id={`${id}-${index}`}
              class="suggest__item"
              role="option"
              aria-selected={index === at}
              // Keep the focus in the text.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => of.pick(offer)}
            >
              <Icon name={offer.icon} />
              <bdi class="suggest__name">{offer.name}</bdi>
              <bdi class="suggest__hint">{offer.hint}</bdi>
            </div>
          ))}
        </div>
      )}
    </>
  );
}

/** suggesting are the attributes of the field that the suggestions are for. */
export function suggesting({ id, offers, at }: Suggestions) {
  const open = offers.length > 0;
  return {
    'aria-autocomplete': 'list',
    'aria-haspopup': 'listbox',
    'aria-controls': open ? id : undefined,
    'aria-activedescendant': open ? `${id}-${at}` : undefined,
  } as const;
}
