import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Project, SharedTemplate } from '~/api/types';
import { isolate, t } from '~/text';
import { Checkbox, say, TextArea, TextField } from '~/ui';
import { changeTemplate } from './actions';
import type { Desk } from './desk';
import { FormDialog } from './form';

/** ShareTemplate makes a template of a project. */
export function ShareTemplate({ desk, project }: { desk: Desk; project: Project }) {
  const [name, setName] = useState([...project.name].slice(0, 80).join(''));
  const [description, setDescription] = useState([...(project.description ?? '')].slice(0, 500).join(''));
  const [withSeed, setWithSeed] = useState(false);
  const act = async () => {
    const fields = { projectId: project.id, name, description, withSeed };
    const made = await api.post<SharedTemplate>(`/workspaces/${desk.workspace.id}/templates`, fields);
    desk.shared.set((all) => [made, ...all]);
    say(t.workspace.templates.isShared(isolate(made.name)));
  };
  return (
    <FormDialog
      title={t.workspace.templates.shareTitle(isolate(project.name))}
      confirm={t.workspace.templates.shareButton}
      onClose={() => desk.begin(null)}
      act={act}
    >
      <p class="soft">{t.workspace.templates.shareHint}</p>
      <Words name={name} setName={setName} description={description} setDescription={setDescription} />
      <Checkbox
        label={t.workspace.templates.withSeed}
        hint={t.workspace.templates.withSeedHint}
        checked={withSeed}
        onChange={(event) => setWithSeed(event.currentTarget.checked)}
      />
    </FormDialog>
  );
}

/** EditTemplate changes a template's name and description. */
export function EditTemplate({ desk, template }: { desk: Desk; template: SharedTemplate }) {
  const [name, setName] = useState(template.name);
  const [description, setDescription] = useState(template.description);
  return (
    <FormDialog
      title={t.workspace.templates.editTitle(isolate(template.name))}
      confirm={t.shell.save}
      onClose={() => desk.begin(null)}
      act={() => changeTemplate(desk, template, { name, description })}
    >
      <Words name={name} setName={setName} description={description} setDescription={setDescription} />
    </FormDialog>
  );
}

interface WordsProps {
  name: string;
  setName: (name: string) => void;
  description: string;
  setDescription: (description: string) => void;
}

function Words({ name, setName, description, setDescription }: WordsProps) {
  return (
    <>
      <TextField
        label={t.dashboard.name}
        value={name}
        required
        maxLength={80}
        autofocus
        dir="auto"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <TextArea
        label={t.dashboard.description}
        rows={3}
        maxLength={500}
        value={description}
        dir="auto"
        onInput={(event) => setDescription(event.currentTarget.value)}
      />
    </>
  );
}
