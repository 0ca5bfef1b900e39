import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Folder, Project } from '~/api/types';
import { isolate, t } from '~/text';
import { Select } from '~/ui';
import { moveProject } from './actions';
import type { Desk } from './desk';
import { pathName, placesFor } from './folders';
import { FormDialog } from './form';

interface MoveProps {
  desk: Desk;
  name: string;
  /** from is the current folder; empty is the root. */
  from: string;
  /** moving is the folder to move, which cannot go into itself. */
  moving?: string;
  act: (to: string) => Promise<void>;
}

function Move({ desk, name, from, moving, act }: MoveProps) {
  const [to, setTo] = useState(from);
  const folders = desk.folders.items ?? [];
  return (
    <FormDialog
      title={t.dashboard.moveTitle(isolate(name))}
      confirm={t.dashboard.moveButton}
      onClose={() => desk.begin(null)}
      disabled={to === from}
      act={() => act(to)}
    >
      <Select label={t.dashboard.folder} value={to} onChange={(event) => setTo(event.currentTarget.value)}>
        <option value="">{t.dashboard.noFolder}</option>
        {placesFor(folders, moving).map(({ id }) => (
          <option key={id} value={id}>
            {pathName(folders, id)}
          </option>
        ))}
      </Select>
    </FormDialog>
  );
}

export function MoveProject({ desk, project }: { desk: Desk; project: Project }) {
  return (
    <Move
      desk={desk}
      name={project.name}
      from={project.folderId ?? ''}
      act={(to) => moveProject(desk, project.id, to)}
    />
  );
}

/** MoveFolder moves a folder and its contents into another. */
export function MoveFolder({ desk, folder }: { desk: Desk; folder: Folder }) {
  const act = async (to: string) => {
    await api.patch(`/folders/${folder.id}`, { parentId: to || null });
    await desk.folders.reload();
  };
  return <Move desk={desk} name={folder.name} from={folder.parentId ?? ''} moving={folder.id} act={act} />;
}
