import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Project } from '~/api/types';
import { workspaces } from '~/app/session';
import { isolate, t } from '~/text';
import { Select, say, TextField } from '~/ui';
import type { Desk } from './desk';
import { FormDialog } from './form';

/** Duplicate copies a project into this or another workspace. */
export function Duplicate({ desk, project }: { desk: Desk; project: Project }) {
  const [name, setName] = useState(t.dashboard.copyOf(project.name).slice(0, 100));
  const [workspaceId, setWorkspace] = useState(desk.workspace.id);
  const act = async () => {
    const copy = await api.post<Project>(`/projects/${project.id}/duplicate`, { name, workspaceId });
    if (workspaceId === desk.workspace.id) await desk.projects.reload();
    say(
      t.dashboard.duplicated(isolate(copy.name), isolate(workspaces.value.find(({ id }) => id === workspaceId)!.name)),
    );
  };
  return (
    <FormDialog
      title={t.dashboard.duplicateTitle(isolate(project.name))}
      confirm={t.dashboard.duplicateButton}
      onClose={() => desk.begin(null)}
      act={act}
    >
      <p class="soft">{t.dashboard.duplicateHint}</p>
      <TextField
        label={t.dashboard.name}
        value={name}
        required
        maxLength={100}
        autofocus
        dir="auto"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      {workspaces.value.length > 1 && (
        <Select
          label={t.dashboard.workspace}
          value={workspaceId}
          onChange={(event) => setWorkspace(event.currentTarget.value)}
        >
          {workspaces.value.map((item) => (
            <option key={item.id} value={item.id}>
              {item.name}
            </option>
          ))}
        </Select>
      )}
    </FormDialog>
  );
}
