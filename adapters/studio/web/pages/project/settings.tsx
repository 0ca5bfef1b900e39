import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Project } from '~/api/types';
import { FormDialog } from '~/pages/dashboard/form';
import { isolate, t } from '~/text';
import { TextArea, TextField } from '~/ui';
import type { ProjectStore } from './store';

/** ProjectSettings edits a project's name and description. */
export function ProjectSettings({ store, onClose }: { store: ProjectStore; onClose: () => void }) {
  const project = store.project.value;
  const [name, setName] = useState(project.name);
  const [description, setDescription] = useState(project.description ?? '');
  const act = async () => {
    store.project.value = await api.patch<Project>(`/projects/${store.id}`, {
      name: name.trim(),
      description: description.trim() || null,
    });
  };
  return (
    <FormDialog title={t.project.settingsOf(isolate(project.name))} confirm={t.shell.save} onClose={onClose} act={act}>
      <TextField
        label={t.dashboard.name}
        value={name}
        required
        maxLength={100}
        autofocus
        dir="auto"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <TextArea
        label={t.dashboard.description}
        hint={t.dashboard.descriptionHint}
        rows={4}
        maxLength={2000}
        value={description}
        onInput={(event) => setDescription(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
