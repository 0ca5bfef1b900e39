import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Project } from '~/api/types';
import { isolate, t } from '~/text';
import { TextArea } from '~/ui';
import type { Desk } from './desk';
import { FormDialog } from './form';

export function Describe({ desk, project }: { desk: Desk; project: Project }) {
  const [text, setText] = useState(project.description ?? '');
  const act = async () =>
    desk.projects.put(await api.patch<Project>(`/projects/${project.id}`, { description: text.trim() || null }));
  return (
    <FormDialog
      title={t.dashboard.describeTitle(isolate(project.name))}
      confirm={t.shell.save}
      onClose={() => desk.begin(null)}
      act={act}
    >
      <TextArea
        label={t.dashboard.description}
        hint={t.dashboard.descriptionHint}
        rows={4}
        maxLength={2000}
        value={text}
        autofocus
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
