import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { api } from '~/api/client';
import type { Project } from '~/api/types';
import { isolate, t } from '~/text';
import { Failure, type IconName, Loading, TextField } from '~/ui';
import { Choices } from './choices';
import type { Desk } from './desk';
import { FormDialog } from './form';
import { pictureOf, useTemplates } from './templates';

const icons: Record<string, IconName> = {
  blank: 'file',
  'todo-app': 'plan',
  'landing-page': 'image',
  dashboard: 'chart',
  'static-html': 'code',
  'vite-react': 'bolt',
};

/** Create creates a project from a template and opens it. */
export function Create({ desk, wanted }: { desk: Desk; wanted?: string }) {
  const { route } = useLocation();
  const { data, error, reload } = useTemplates();
  const [template, setTemplate] = useState(wanted ?? 'blank');
  const [name, setName] = useState('');
  // Suggest a name, so that a template needs no typing.
  const shared = desk.shared.data ?? [];
  const preset = [...shared, ...(data ?? [])].find(({ id }) => id === template)?.name;
  const act = async () => {
    const project = await api.post<Project>(`/workspaces/${desk.workspace.id}/projects`, {
      name: name.trim() || preset,
      template,
      folderId: desk.place.folder || undefined,
    });
    route(`/projects/${project.id}`);
  };
  return (
    <FormDialog
      title={t.dashboard.createTitle}
      confirm={t.dashboard.createButton}
      wide
      onClose={() => desk.begin(null)}
      disabled={!data}
      act={act}
    >
      <TextField
        label={t.dashboard.name}
        value={name}
        placeholder={preset}
        maxLength={100}
        autofocus
        dir="auto"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      {error && <Failure error={error} retry={reload} />}
      {data ? (
        <Choices
          label={t.dashboard.template}
          items={[
            ...shared.map(({ id, name, description, author, thumbnailUrl }) => ({
              value: id,
              label: name,
              hint: description || t.workspace.templates.by(isolate(author)),
              icon: 'box' as const,
              picture: thumbnailUrl,
            })),
            ...data.map(({ id, name, description }) => ({
              value: id,
              label: name,
              hint: description,
              icon: icons[id] ?? ('box' as const),
              picture: pictureOf(id),
            })),
          ]}
          chosen={template}
          choose={setTemplate}
        />
      ) : (
        !error && <Loading />
      )}
    </FormDialog>
  );
}
