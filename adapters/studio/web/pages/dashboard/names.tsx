import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Folder, Project } from '~/api/types';
import { t } from '~/text';
import { TextField } from '~/ui';
import type { Desk } from './desk';
import { FormDialog } from './form';

interface NameProps {
  title: string;
  confirm: string;
  initial: string;
  onClose: () => void;
  act: (name: string) => Promise<void>;
}

function NameDialog({ title, confirm, initial, onClose, act }: NameProps) {
  const [name, setName] = useState(initial);
  return (
    <FormDialog title={title} confirm={confirm} onClose={onClose} act={() => act(name)}>
      <TextField
        label={t.dashboard.name}
        value={name}
        required
        maxLength={100}
        autofocus
        dir="auto"
        onFocus={(event) => event.currentTarget.select()}
        onInput={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

/** RenameProject renames a project. Its address stays the same. */
export function RenameProject({ desk, project }: { desk: Desk; project: Project }) {
  const act = async (name: string) => desk.projects.put(await api.patch<Project>(`/projects/${project.id}`, { name }));
  return (
    <NameDialog
      title={t.dashboard.renameTitle}
      confirm={t.dashboard.renameButton}
      initial={project.name}
      onClose={() => desk.begin(null)}
      act={act}
    />
  );
}

export function RenameFolder({ desk, folder }: { desk: Desk; folder: Folder }) {
  const act = async (name: string) => {
    await api.patch(`/folders/${folder.id}`, { name });
    await desk.folders.reload();
  };
  return (
    <NameDialog
      title={t.dashboard.renameFolderTitle}
      confirm={t.dashboard.renameButton}
      initial={folder.name}
      onClose={() => desk.begin(null)}
      act={act}
    />
  );
}

/** NewFolder creates a folder in the open one. */
export function NewFolder({ desk }: { desk: Desk }) {
  const act = async (name: string) => {
    await api.post(`/workspaces/${desk.workspace.id}/folders`, { name, parentId: desk.place.folder || null });
    await desk.folders.reload();
  };
  return (
    <NameDialog
      title={t.dashboard.newFolderTitle}
      confirm={t.dashboard.createButton}
      initial=""
      onClose={() => desk.begin(null)}
      act={act}
    />
  );
}
