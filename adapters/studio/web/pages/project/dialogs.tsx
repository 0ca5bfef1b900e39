import { useEffect } from 'preact/hooks';
import { lazy, useLocation } from 'preact-iso';

import { api } from '~/api/client';
import type { Project } from '~/api/types';
import { workspaces } from '~/app/session';
import { removeProject } from '~/pages/dashboard/actions';
import type { Desk } from '~/pages/dashboard/desk';
import { Duplicate } from '~/pages/dashboard/duplicate';
import { useFolders } from '~/pages/dashboard/folders';
import { MoveProject } from '~/pages/dashboard/move';
import { everything } from '~/pages/dashboard/place';
import { ShareTemplate } from '~/pages/dashboard/share-template';
import { Transfer } from '~/pages/dashboard/transfer';
import { complain } from '~/ui';
import { ProjectSettings } from './settings';
import { Share } from './share';
import type { ProjectStore } from './store';
import { TaskBoard } from './tasks/board';

/** Doing identifies a dialog about the project. */
export type Doing =
  | 'share'
  | 'settings'
  | 'duplicate'
  | 'template'
  | 'move'
  | 'transfer'
  | 'remove'
  | 'tasks'
  | 'remote';

const Remote = lazy(() => import('./remote'));

interface DialogsProps {
  store: ProjectStore;
  doing: Doing;
  /** onNext opens another dialog in the place of this one. */
  onNext: (doing: Doing) => void;
  onClose: () => void;
}

/** Dialogs renders the open dialog about the project. It reuses those of the dashboard. */
export default function Dialogs({ store, doing, onNext, onClose }: DialogsProps) {
  const project = store.project.value;
  switch (doing) {
    case 'share':
      return <Share store={store} onClose={onClose} />;
    case 'settings':
      return <ProjectSettings store={store} onRemote={() => onNext('remote')} onClose={onClose} />;
    case 'duplicate':
      return <Duplicate desk={deskOf(store, onClose)} project={project} />;
    case 'template':
      return <ShareTemplate desk={deskOf(store, onClose)} project={project} />;
    case 'transfer':
      return <Transfer desk={deskOf(store, onClose)} project={project} />;
    case 'move':
      return <Move store={store} onClose={onClose} />;
    case 'tasks':
      return <TaskBoard store={store} onClose={onClose} />;
    case 'remote':
      return <Remote store={store} onTasks={() => onNext('tasks')} onClose={onClose} />;
    case 'remove':
      return <Remove store={store} onClose={onClose} />;
  }
}

// deskOf adapts the store to the dashboard's dialogs. The desk has only this project.
function deskOf(store: ProjectStore, onClose: () => void): Desk {
  const reload = async () => {
    store.project.value = await api.get<Project>(`/projects/${store.id}`);
  };
  // Readers of a public project copy it into their own workspace.
  const workspace = workspaces.value.find(({ id }) => id === store.project.value.workspaceId) ?? workspaces.value[0]!;
  return {
    workspace,
    place: everything,
    go: () => {},
    projects: {
      items: [store.project.value],
      error: undefined,
      loading: false,
      more: undefined,
      loadingMore: false,
      reload,
      put: (project) => {
        store.project.value = project;
      },
      drop: () => void reload().catch(complain),
    },
    folders: { items: [], error: undefined, reload: async () => {} },
    shared: { data: [], error: undefined, loading: false, reload: async () => {}, set: () => {} },
    begin: onClose,
  };
}

function Move({ store, onClose }: { store: ProjectStore; onClose: () => void }) {
  const desk = deskOf(store, onClose);
  const folders = useFolders(desk.workspace.id);
  return <MoveProject desk={{ ...desk, folders }} project={store.project.value} />;
}

// Remove asks if necessary, and leaves the page when the project is in the trash.
function Remove({ store, onClose }: { store: ProjectStore; onClose: () => void }) {
  const { route } = useLocation();
  useEffect(() => {
    const desk = deskOf(store, onClose);
    const projects = { ...desk.projects, drop: () => route('/dashboard') };
    void removeProject({ ...desk, projects }, store.project.peek()).finally(onClose);
  }, []);
  return null;
}
