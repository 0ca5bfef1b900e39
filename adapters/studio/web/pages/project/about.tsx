// The project menu and the share button. Their dialogs load on first use.

import { useState } from 'preact/hooks';
import { lazy } from 'preact-iso';

import type { Project } from '~/api/types';
import { useCommands } from '~/app/commands';
import { isolate, t } from '~/text';
import { Icon, type IconName, LinkButton, Menu, type MenuItem } from '~/ui';
import type { Doing } from './dialogs';
import type { ProjectStore } from './store';

const Dialogs = lazy(() => import('./dialogs'));

const marks: Record<Project['visibility'], IconName> = { private: 'lock', workspace: 'people', public: 'globe' };

/** About shows the project menu and the share button. */
export function About({ store, onRename }: { store: ProjectStore; onRename: () => void }) {
  const [doing, begin] = useState<Doing | null>(null);
  const { name, visibility, copyOf } = store.project.value;
  const member = store.canEdit.value;
  useCommands(
    'about',
    copyOf
      ? []
      : [
          { name: t.project.share, icon: 'people', key: 'share', run: () => begin('share') },
          ...(member
            ? [
                { name: t.project.settings, icon: 'settings' as const, key: 'about', run: () => begin('settings') },
                { name: t.tasks.title, icon: 'list' as const, key: 'tasks', run: () => begin('tasks') },
                { name: t.remote.title, icon: 'next' as const, run: () => begin('remote') },
              ]
            : []),
        ],
  );
  if (copyOf) return <OfTask project={copyOf} />;
  const seen = t.project.visibility[visibility];
  const items: MenuItem[] = [
    ...(member
      ? [
          { label: t.dashboard.rename, icon: 'edit' as const, onSelect: onRename },
          { label: t.project.settings, icon: 'settings' as const, onSelect: () => begin('settings') },
        ]
      : []),
    { label: t.dashboard.duplicate, icon: 'copy', onSelect: () => begin('duplicate') },
    { label: t.dashboard.export, icon: 'download', href: `/projects/${store.id}/export`, download: true },
    ...(member
      ? [
          { label: t.workspace.templates.share, icon: 'box' as const, onSelect: () => begin('template') },
          { label: t.dashboard.move, icon: 'folder' as const, onSelect: () => begin('move') },
          ...(store.isOwner.value
            ? [{ label: t.dashboard.transfer, icon: 'next' as const, onSelect: () => begin('transfer') }]
            : []),
          null,
          { label: t.dashboard.remove, icon: 'trash' as const, danger: true, onSelect: () => begin('remove') },
        ]
      : []),
  ];
  return (
    <>
      <Menu small label={t.dashboard.menuOf(isolate(name))} items={items} />
      <button
        type="button"
        class="button button--small project-name__share"
        aria-label={`${t.project.share}. ${seen}`}
        data-tip={seen}
        onClick={() => begin('share')}
      >
        <Icon name={marks[visibility]} />
        <span class="project-name__share-word">{t.project.share}</span>
      </button>
      {member && (
        <button
          type="button"
          class="button button--small"
          aria-label={t.tasks.title}
          data-tip={t.tasks.title}
          onClick={() => begin('tasks')}
        >
          <Icon name="list" />
          <span class="project-name__share-word">{t.tasks.title}</span>
        </button>
      )}
      {doing && <Dialogs store={store} doing={doing} onNext={begin} onClose={() => begin(null)} />}
    </>
  );
}

// OfTask leads from a task's working copy to its project.
function OfTask({ project }: { project: string }) {
  return (
    <>
      <span class="badge">{t.tasks.copy}</span>
      <LinkButton small icon="back" href={`/projects/${project}`}>
        {t.tasks.back}
      </LinkButton>
    </>
  );
}
