import { useEffect, useMemo, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { api } from '~/api/client';
import type { Page, Project } from '~/api/types';
import { currentLanguage, languages, nameOf, t } from '~/text';
import { complain, Finder, Icon } from '~/ui';
import { outside } from './base';
import { type Command, choose, offers, recentKeys, remember } from './commands';
import { atLeast, leave, speak, workspace } from './session';
import { openShortcuts } from './shortcutlist';
import { keysOf } from './shortcuts';
import { setTheme } from './theme';

/** PaletteList is the open palette, a chunk of its own. */
export default function PaletteList({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const [query, setQuery] = useState('');
  const recent = useMemo(recentKeys, []);
  useEffect(() => {
    for (const { opened } of offers.peek().values()) opened?.();
  }, []);
  const projects = useProjects(query).map((project): Command => {
    const run = () => route(`/projects/${project.id}`);
    return { name: project.name, icon: 'box', group: 'projects', key: `project/${project.id}`, run };
  });
  const offered = [...offers.value.values()];
  const all = [
    ...offered.flatMap(({ commands, find }) => [...commands, ...(find?.(query) ?? [])]),
    ...projects,
    ...general(route),
  ];
  const groups = choose(all, query, recent);
  const groupOf = new Map(groups.flatMap(([name, found]) => found.map((command) => [command, name] as const)));
  return (
    <Finder
      label={t.shell.palette}
      hint={t.shell.paletteHint}
      query={query}
      onQuery={setQuery}
      found={groups.flatMap(([, found]) => found)}
      groupOf={(command) => t.palette.groups[groupOf.get(command)!]}
      none={t.shell.paletteEmpty}
      row={({ name, hint, icon, shortcut }) => (
        <>
          <Icon name={icon ?? 'next'} />
          <bdi>{name}</bdi>
          {hint && <bdi class="faint small">{hint}</bdi>}
          {shortcut && <kbd class="kbd">{keysOf(shortcut)}</kbd>}
        </>
      )}
      onPick={(command) => {
        remember(command);
        command.run();
      }}
      onClose={onClose}
    />
  );
}

function general(route: (address: string) => void): Command[] {
  const space = workspace.value;
  return [
    { name: t.shell.dashboard, icon: 'grid', group: 'go', key: 'dashboard', run: () => route('/dashboard') },
    ...(space ? spaceCommands(space.id, atLeast(space.role, 'admin'), route) : []),
    { name: t.shell.settings, icon: 'settings', group: 'go', key: 'settings', run: () => route('/settings/profile') },
    ...(['system', 'light', 'dark'] as const).map(
      (name): Command => ({
        name: `${t.shell.theme}: ${t.shell.themes[name]}`,
        icon: 'eye',
        group: 'look',
        key: `theme/${name}`,
        run: () => setTheme(name),
      }),
    ),
    ...languages
      .filter((name) => name !== currentLanguage())
      .map(
        (name): Command => ({
          name: `${t.shell.language}: ${nameOf(name)}`,
          icon: 'globe',
          group: 'look',
          key: `language/${name}`,
          run: () => void speak(name).catch(complain),
        }),
      ),
    { name: t.help.title, icon: 'info', group: 'help', key: 'help', run: () => route('/help') },
    { name: t.help.news, icon: 'star', group: 'help', key: 'news', run: () => route('/help/news') },
    { name: t.keys.title, icon: 'list', group: 'help', shortcut: 'shortcuts', run: openShortcuts },
    {
      name: t.shell.help,
      icon: 'external',
      group: 'help',
      key: 'docs',
      run: () => window.open(outside('/docs'), '_blank', 'noopener'),
    },
    { name: t.shell.signOut, icon: 'back', group: 'help', run: () => void leave() },
  ];
}

function spaceCommands(id: string, admin: boolean, route: (address: string) => void): Command[] {
  const to = (section: string) => () => route(`/workspaces/${id}/${section}`);
  return [
    { name: t.shell.workspace, icon: 'people', group: 'go', key: 'workspace', run: to('members') },
    ...(admin
      ? [
          { name: t.palette.invite, icon: 'add' as const, group: 'go' as const, key: 'invite', run: to('members') },
          {
            name: t.palette.providers,
            icon: 'bolt' as const,
            group: 'go' as const,
            key: 'models',
            run: to('providers'),
          },
        ]
      : []),
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
