import { useEffect, useMemo } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Project } from '~/api/types';
import { type Command, useCommands } from '~/app/commands';
import { Gone } from '~/app/gone';
import { type Bindings, useShortcuts } from '~/app/keys';
import { Shell } from '~/app/shell';
import type { ShortcutId } from '~/app/shortcuts';
import { useTitle } from '~/app/title';
import { t } from '~/text';
import { complain, Failure, Loading, Split } from '~/ui';
import { canNotify, isNotified, setNotified } from './announce';
import { BottomBar, icons, PaneBar, ProjectName } from './bar';
import { Chat } from './chat';
import { LiveTrouble, Who } from './live/who';
import { Panes } from './panes';
import { ranked } from './rank';
import { recentFiles } from './recent';
import { ProjectStore, panesFor, wide } from './store';

export default function ProjectPage({ id }: { id: string }) {
  const { data, error, reload } = useLoad(id, (signal) => api.get<Project>(`/projects/${id}`, { signal }));
  useTitle(data?.name);
  if (error?.status === 404)
    return (
      <Shell>
        <Gone />
      </Shell>
    );
  if (error)
    return (
      <Shell>
        <Failure error={error} retry={reload} />
      </Shell>
    );
  if (!data)
    return (
      <Shell full>
        <Loading />
      </Shell>
    );
  return <Workbench key={data.id} project={data} />;
}

function Workbench({ project }: { project: Project }) {
  const store = useMemo(() => new ProjectStore(project), []);
  useEffect(() => (store.canEdit.value ? store.attend() : undefined), []);
  useEffect(() => store.live.start(), []);
  useEffect(() => void store.reloadFiles().catch(() => {}), []);
  useNarrow(store);
  useEffect(() => store.keepView(), [store.pane.value, store.chatShown.value]);
  useKeys(store);
  useTitle(store.project.value.name);
  const member = store.canEdit.value;
  const chatShown = member && store.chatShown.value;
  const shown = !chatShown ? 'second' : store.narrow.value ? 'first' : 'both';
  return (
    <Shell
      full
      bar={<ProjectName store={store} />}
      end={
        <>
          <Who store={store} />
          <PaneBar store={store} />
        </>
      }
    >
      <div class="workbench">
        <LiveTrouble store={store} />
        <Split
          name="chat"
          label={t.project.chat}
          initial={32}
          min={20}
          max={70}
          shown={shown}
          first={member ? <Chat store={store} /> : null}
          second={<Panes store={store} />}
        />
        {store.narrow.value && <BottomBar store={store} />}
      </div>
    </Shell>
  );
}

function useNarrow(store: ProjectStore): void {
  useEffect(() => {
    const query = matchMedia(wide);
    const take = () => store.view.fit(!query.matches);
    take();
    query.addEventListener('change', take);
    return () => query.removeEventListener('change', take);
  }, []);
}

// useKeys binds the panes' shortcuts, and adds the panes to the command palette.
function useKeys(store: ProjectStore): void {
  const member = store.canEdit.value;
  const offered = panesFor(member, store.project.value.copyOf !== undefined);
  const { url } = store.project.value;
  const toggle = () => {
    store.chatShown.value = !store.chatShown.value;
  };
  const find = (query: string): Command[] => (query.trim() === '' ? [] : filesFor(store, query));
  const commands: Command[] = [
    ...offered.map((name, index) => ({
      name: t.project.panes[name],
      icon: icons[name],
      shortcut: keyOf(index),
      run: () => store.show(name),
    })),
    ...(member
      ? [{ name: t.project.toggleChat, icon: 'chat' as const, shortcut: 'toggleChat' as const, run: toggle }]
      : []),
    ...(member && canNotify()
      ? [
          {
            name: isNotified() ? t.project.notifyNot : t.project.notify,
            icon: 'info' as const,
            run: () => void setNotified(!isNotified()).catch(complain),
          },
        ]
      : []),
    ...(url
      ? [
          {
            name: t.palette.openSite,
            icon: 'external' as const,
            key: 'site',
            run: () => void window.open(url, '_blank', 'noopener'),
          },
        ]
      : []),
  ];
  useCommands('project', commands, { find });
  useShortcuts({
    ...(Object.fromEntries(
      offered.map((name, index) => [keyOf(index), { text: t.project.panes[name], run: () => store.show(name) }]),
    ) as Bindings),
    ...(member ? { toggleChat: toggle } : {}),
  });
}

// filesFor returns the files that fit a query, as commands that open them.
function filesFor(store: ProjectStore, query: string): Command[] {
  const paths = store.files.value.map(({ path }) => path);
  return ranked(paths, query, recentFiles(store.id))
    .slice(0, 6)
    .map((path) => ({
      name: path.slice(path.lastIndexOf('/') + 1),
      hint: path,
      icon: 'file',
      group: 'files',
      run: () => store.openFile({ path }),
    }));
}

// keyOf returns the shortcut of the pane at an index.
function keyOf(index: number): ShortcutId {
  return `pane${index + 1}` as ShortcutId;
}
