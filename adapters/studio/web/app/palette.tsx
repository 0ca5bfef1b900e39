import { signal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { api } from '~/api/client';
import type { Page, Project } from '~/api/types';
import { t } from '~/text';
import { Finder, Icon, type IconName } from '~/ui';
import { outside } from './base';
import { isDialogOpen, useShortcuts } from './keys';
import { leave, me, workspace } from './session';
import { openShortcuts } from './shortcutlist';
import { keysOf, type ShortcutId } from './shortcuts';
import { setTheme } from './theme';

/** Command is an entry of the command palette. */
export interface Command {
  name: string;
  icon?: IconName;
  /** shortcut does the same. */
  shortcut?: ShortcutId;
  run: () => void;
}

const commands = signal<Map<string, Command[]>>(new Map());
const open = signal(false);

/** useCommands registers commands while the component is mounted. */
export function useCommands(owner: string, offered: Command[]): void {
  const latest = useRef(offered);
  latest.current = offered;
  const names = offered.map(({ name }) => name).join('\n');
  useEffect(() => {
    const proxied = latest.current.map((command, index) => ({ ...command, run: () => latest.current[index]?.run() }));
    commands.value = new Map(commands.value).set(owner, proxied);
    return () => {
      const rest = new Map(commands.value);
      rest.delete(owner);
      commands.value = rest;
    };
  }, [owner, names]);
}

export function openPalette(): void {
  open.value = true;
}

/** Palette is the command palette, opened by its shortcut. */
export function Palette() {
  const toggle = () => {
    if (open.peek() || !isDialogOpen()) open.value = !open.peek();
  };
  useShortcuts(me.value ? { palette: toggle } : {});
  return open.value ? <OpenPalette /> : null;
}

function OpenPalette() {
  const { route } = useLocation();
  const [query, setQuery] = useState('');
  const projects = useProjects(query);
  const everywhere = useMemo(() => general(route), [route]);
  const found = [...[...commands.value.values()].flat(), ...everywhere]
    .filter(({ name }) => fits(name, query))
    .concat(
      projects.map((project) => ({
        name: project.name,
        icon: 'box' as const,
        run: () => route(`/projects/${project.id}`),
      })),
    )
    .slice(0, 50);
  return (
    <Finder
      label={t.shell.palette}
      hint={t.shell.paletteHint}
      query={query}
      onQuery={setQuery}
      found={found}
      none={t.shell.paletteEmpty}
      row={({ name, icon, shortcut }) => (
        <>
          <Icon name={icon ?? 'next'} />
          <span>{name}</span>
          {shortcut && <kbd class="kbd">{keysOf(shortcut)}</kbd>}
        </>
      )}
      onPick={({ run }) => run()}
      onClose={() => {
        open.value = false;
      }}
    />
  );
}

// fits reports whether each word of the query is a prefix of a word of the name.
function fits(name: string, query: string): boolean {
  const words = name.toLowerCase().split(/\s+/);
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.some((word) => word.includes(part)));
}

function general(route: (address: string) => void): Command[] {
  const wid = workspace.value?.id;
  return [
    { name: t.shell.dashboard, icon: 'grid', run: () => route('/dashboard') },
    ...(wid
      ? [{ name: t.shell.workspace, icon: 'people' as const, run: () => route(`/workspaces/${wid}/members`) }]
      : []),
    { name: t.shell.settings, icon: 'settings', run: () => route('/settings/profile') },
    ...(['system', 'light', 'dark'] as const).map((name) => ({
      name: `${t.shell.theme}: ${t.shell.themes[name]}`,
      icon: 'eye' as const,
      run: () => setTheme(name),
    })),
    { name: t.keys.title, icon: 'list', shortcut: 'shortcuts', run: openShortcuts },
    { name: t.shell.help, icon: 'info', run: () => window.open(outside('/docs'), '_blank', 'noopener') },
    { name: t.shell.signOut, icon: 'back', run: () => void leave() },
  ];
}

function useProjects(query: string): Project[] {
  const [found, setFound] = useState<Project[]>([]);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      api.get<Page<Project>>('/projects', { query: { q: query.trim(), limit: 8 }, signal: controller.signal }).then(
        ({ items }) => setFound(items),
        () => {},
      );
    }, 120);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [query]);
  return found;
}
