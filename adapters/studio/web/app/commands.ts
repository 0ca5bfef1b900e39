// The commands of the palette: what pages offer, how a query chooses among them, and which
// were used last. Pure but for the list of what pages offer.

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

import { browserStorage, isText } from '~/storage';
import type { IconName } from '~/ui';
import type { ShortcutId } from './shortcuts';

/** groupNames are in the order in which the palette shows them. */
export const groupNames = ['recent', 'here', 'files', 'chats', 'models', 'projects', 'go', 'look', 'help'] as const;

export type GroupName = (typeof groupNames)[number];

/** Command is an entry of the command palette. */
export interface Command {
  name: string;
  /** hint is shown beside the name, and is not searched. */
  hint?: string;
  icon?: IconName;
  /** group is 'here' if it is missing. */
  group?: GroupName;
  /** key identifies the command among the recent ones. Without one it is not remembered. */
  key?: string;
  /** shortcut does the same. */
  shortcut?: ShortcutId;
  run: () => void;
}

/** Offer is what a page offers. */
interface Offer {
  commands: Command[];
  /** find returns more commands for a query. */
  find?: ((query: string) => Command[]) | undefined;
  /** opened is called when the palette opens. */
  opened?: (() => void) | undefined;
}

export const offers = signal<ReadonlyMap<string, Offer>>(new Map());

type More = Pick<Offer, 'find' | 'opened'>;

/** useCommands offers commands while the component is mounted. */
export function useCommands(owner: string, offered: Command[], more: More = {}): void {
  const latest = useRef({ offered, more });
  latest.current = { offered, more };
  const names = offered.map(({ name, hint }) => `${name}\t${hint ?? ''}`).join('\n');
  useEffect(() => {
    const commands = latest.current.offered.map((command, index) => ({
      ...command,
      key: command.key ?? command.shortcut,
      run: () => latest.current.offered[index]?.run(),
    }));
    const find = more.find && ((query: string) => latest.current.more.find?.(query) ?? []);
    const opened = more.opened && (() => latest.current.more.opened?.());
    offers.value = new Map(offers.peek()).set(owner, { commands, find, opened });
    return () => {
      const rest = new Map(offers.peek());
      rest.delete(owner);
      offers.value = rest;
    };
  }, [owner, names]);
}

/**
 * scoreOf says how well a name fits a query, 0 if it does not: each word of the query is in a
 * word of the name. The whole name scores most, then its beginning, then beginnings of words.
 */
export function scoreOf(name: string, query: string): number {
  const [whole, wanted] = [name.toLowerCase(), query.trim().toLowerCase()];
  if (wanted === '') return 1;
  if (whole === wanted) return 4;
  if (whole.startsWith(wanted)) return 3;
  const words = whole.split(/[\s/:.…-]+/);
  const parts = wanted.split(/\s+/);
  if (parts.every((part) => words.some((word) => word.startsWith(part)))) return 2;
  return parts.every((part) => whole.includes(part)) ? 1 : 0;
}

const mostInGroup = 8;
const mostRecent = 4;

/**
 * choose returns the commands that fit a query by groups, the group of the best one first.
 * Without a query, what was used last comes first and each group keeps its place.
 */
export function choose(commands: Command[], query: string, recent: string[]): [GroupName, Command[]][] {
  const isAsked = query.trim() !== '';
  const last = isAsked
    ? []
    : recent.flatMap((key) => commands.find((command) => command.key === key) ?? []).slice(0, mostRecent);
  const found = commands
    .filter((command) => !last.includes(command))
    .map((command) => ({ command, score: command.group === 'files' ? 2 : scoreOf(command.name, query) }))
    .filter(({ score }) => score > 0);
  const groups = groupNames.map((name) => {
    const all = found.filter(({ command }) => (command.group ?? 'here') === name).sort((a, b) => b.score - a.score);
    const most = name === 'here' || isAsked ? 20 : mostInGroup;
    return { name, best: all[0]?.score ?? 0, commands: all.slice(0, most).map(({ command }) => command) };
  });
  if (isAsked) groups.sort((a, b) => b.best - a.best);
  const shown = groups.filter((group) => group.commands.length > 0);
  const listed = shown.map((group): [GroupName, Command[]] => [group.name, group.commands]);
  return last.length > 0 ? [['recent', last], ...listed] : listed;
}

const memory = 'atelier.palette';
const mostRemembered = 12;

/** recentKeys returns the keys of the commands that were used last in this browser. */
export function recentKeys(): string[] {
  return browserStorage.list(memory, isText);
}

/** remember makes a command the one that was used last. */
export function remember({ key }: Command): void {
  if (!key) return;
  browserStorage.write(memory, [key, ...recentKeys().filter((other) => other !== key)].slice(0, mostRemembered));
}
