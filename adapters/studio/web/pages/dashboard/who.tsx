import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Project } from '~/api/types';
import { isolate, t } from '~/text';
import { Choices } from './choices';
import type { Desk } from './desk';
import { FormDialog } from './form';

/** Who edits a project's visibility. */
export function Who({ desk, project }: { desk: Desk; project: Project }) {
  const [visibility, setVisibility] = useState(project.visibility);
  const act = async () => desk.projects.put(await api.patch<Project>(`/projects/${project.id}`, { visibility }));
  const items = (
    [
      ['private', 'lock'],
      ['workspace', 'people'],
      ['public', 'globe'],
    ] as const
  ).map(([value, icon]) => ({
    value,
    icon,
    label: t.dashboard.visibilities[value],
    hint: t.dashboard.visibilityHints[value],
  }));
  return (
    <FormDialog
      title={t.dashboard.whoSeesTitle(isolate(project.name))}
      confirm={t.shell.save}
      onClose={() => desk.begin(null)}
      act={act}
    >
      <Choices label={t.dashboard.visibility} items={items} chosen={visibility} choose={setVisibility} />
    </FormDialog>
  );
}
