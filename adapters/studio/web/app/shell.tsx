import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { api } from '~/api/client';
import type { Workspace } from '~/api/types';
import { currentLanguage, languages, nameOf, t } from '~/text';
import {
  Avatar,
  Banner,
  Button,
  complain,
  Dialog,
  Icon,
  IconButton,
  Menu,
  type MenuItem,
  TextField,
  useTask,
} from '~/ui';
import { useDeferred } from './deferred';
import { Mark } from './mark';
import { hasNews, meetNews } from './news';
import { openPalette } from './palette';
import { chooseWorkspace, leave, me, reloadWorkspaces, speak, workspace, workspaces } from './session';
import { openShortcuts } from './shortcutlist';
import { keysOf } from './shortcuts';
import { setTheme, theme } from './theme';

interface ShellProps {
  /** bar is the page's content in the top bar, next to the logo. */
  bar?: ComponentChildren;
  /** end is shown before the account menu. */
  end?: ComponentChildren;
  /** full gives the page the whole window, without margins or scrolling. */
  full?: boolean;
  children: ComponentChildren;
}

// Loaded at once: nothing loads when it is needed.
const loadOfflineMark = () => import('./offline-mark');

/** Shell is the layout of all pages for signed-in users. */
export function Shell({ bar, end, full, children }: ShellProps) {
  const OfflineMark = useDeferred(loadOfflineMark, true);
  return (
    <div class={full ? 'shell shell--full' : 'shell'}>
      <header class="bar">
        <a class="bar__mark" href="/dashboard" aria-label={`${t.shell.product}: ${t.shell.dashboard}`}>
          <Mark />
        </a>
        <nav class="bar__main" aria-label={t.shell.mainNavigation}>
          {bar ?? <WorkspaceMenu />}
        </nav>
        <div class="bar__end">
          {OfflineMark && <OfflineMark />}
          {end}
          <IconButton icon="search" label={`${t.shell.palette} (${keysOf('palette')})`} onClick={openPalette} />
          <AccountMenu />
        </div>
      </header>
      {me.value?.instance.announcement && (
        <div class="shell__notice">
          <Banner>{me.value.instance.announcement}</Banner>
        </div>
      )}
      <main id="main" class={full ? 'main--full' : 'page'} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

/** WorkspaceMenu shows the current workspace and switches between workspaces. */
export function WorkspaceMenu() {
  const { route, path } = useLocation();
  const [making, setMaking] = useState(false);
  const current = workspace.value;
  if (!current) return null;
  const go = (next: Workspace) => {
    chooseWorkspace(next.id);
    const section = /^\/workspaces\/[^/]+\/(.+)$/.exec(path)?.[1];
    route(section ? `/workspaces/${next.id}/${section}` : '/dashboard');
  };
  const items: MenuItem[] = [
    ...workspaces.value.map((item) => ({
      label: item.name,
      checked: item.id === current.id,
      hint: item.personal ? t.shell.personal : undefined,
      onSelect: () => go(item),
    })),
    null,
    { label: t.shell.dashboard, icon: 'grid', onSelect: () => route('/dashboard') },
    { label: t.shell.workspace, icon: 'people', onSelect: () => route(`/workspaces/${current.id}/members`) },
    null,
    { label: t.shell.newWorkspace, icon: 'add', onSelect: () => setMaking(true) },
  ];
  return (
    <>
      <Menu label={t.shell.switchWorkspace(current.name)} items={items}>
        <span class="bar__name">{current.name}</span>
        <Icon name="down" />
      </Menu>
      <a class="tab" href="/dashboard" aria-current={path === '/dashboard' ? 'page' : undefined}>
        {t.shell.dashboard}
      </a>
      <a
        class="tab"
        href={`/workspaces/${current.id}/members`}
        aria-current={path.startsWith('/workspaces/') ? 'page' : undefined}
      >
        {t.shell.workspace}
      </a>
      {making && <NewWorkspace onClose={() => setMaking(false)} onMade={go} />}
    </>
  );
}

function NewWorkspace({ onClose, onMade }: { onClose: () => void; onMade: (made: Workspace) => void }) {
  const [name, setName] = useState('');
  const { busy, run } = useTask({ onError: complain });
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const made = await api.post<Workspace>('/workspaces', { name });
      await reloadWorkspaces();
      onClose();
      onMade(made);
    });
  };
  return (
    <Dialog title={t.shell.newWorkspace} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <TextField
          label={t.shell.workspaceName}
          value={name}
          required
          maxLength={100}
          autofocus
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {t.shell.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function AccountMenu() {
  const { route } = useLocation();
  const [, again] = useState(0);
  const user = me.value?.user;
  useEffect(meetNews, []);
  if (!user) return null;
  const items: MenuItem[] = [
    user.email,
    { label: t.shell.settings, icon: 'settings', onSelect: () => route('/settings/profile') },
    ...(me.value?.instance.admin
      ? [{ label: t.shell.admin, icon: 'shield' as const, onSelect: () => route('/admin/people') }]
      : []),
    { label: t.help.title, icon: 'info', onSelect: () => route('/help') },
    {
      label: t.help.news,
      icon: 'star',
      hint: hasNews() ? t.help.unread : undefined,
      onSelect: () => route('/help/news'),
    },
    { label: t.keys.title, icon: 'list', hint: keysOf('shortcuts'), onSelect: openShortcuts },
    { label: t.shell.help, icon: 'external', href: '/docs' },
    null,
    t.shell.theme,
    ...(['system', 'light', 'dark'] as const).map((name) => ({
      label: t.shell.themes[name],
      checked: theme() === name,
      onSelect: () => {
        setTheme(name);
        again((count) => count + 1);
      },
    })),
    null,
    t.shell.language,
    ...languages.map((name) => ({
      label: nameOf(name),
      checked: currentLanguage() === name,
      onSelect: () => void speak(name).catch(complain),
    })),
    null,
    { label: t.shell.signOut, icon: 'back', onSelect: () => void leave().catch(complain) },
  ];
  return (
    <Menu label={t.shell.account} items={items}>
      <Avatar name={user.displayName || user.email} url={user.avatarUrl} />
      {hasNews() && <span class="bar__news" title={t.help.news} />}
    </Menu>
  );
}
