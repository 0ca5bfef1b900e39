import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Project, Workspace } from '~/api/types';
import { workspaces } from '~/app/session';
import { isolate, t } from '~/text';
import { Select, say } from '~/ui';
import type { Desk } from './desk';
import { FormDialog } from './form';

/** targets returns the workspaces that can receive a project. The user must own both. */
export function targets(from: Workspace): Workspace[] {
  return from.role === 'owner' ? workspaces.value.filter(({ id, role }) => role === 'owner' && id !== from.id) : [];
}

export function Transfer({ desk, project }: { desk: Desk; project: Project }) {
  const choices = targets(desk.workspace);
  const [workspaceId, setWorkspace] = useState(choices[0]?.id ?? '');
  const act = async () => {
    await api.post<Project>(`/projects/${project.id}/transfer`, { workspaceId });
    await desk.projects.reload();
    say(t.dashboard.duplicated(isolate(project.name), isolate(choices.find(({ id }) => id === workspaceId)!.name)));
  };
  return (
    <FormDialog
      title={t.dashboard.transferTitle(isolate(project.name))}
      confirm={t.dashboard.transferButton}
      onClose={() => desk.begin(null)}
      act={act}
    >
      <p class="soft">{t.dashboard.transferHint}</p>
      <Select
        label={t.dashboard.workspace}
        value={workspaceId}
        onChange={(event) => setWorkspace(event.currentTarget.value)}
      >
        {choices.map((item) => (
          <option key={item.id} value={item.id}>
            {item.name}
          </option>
        ))}
      </Select>
    </FormDialog>
  );
}
