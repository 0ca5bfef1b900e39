import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import type { Project } from '~/api/types';
import { FormDialog } from '~/pages/dashboard/form';
import { isolate, t } from '~/text';
import { Button, complain, TextArea, TextField, useTask } from '~/ui';
import type { ProjectStore } from './store';

interface SettingsProps {
  store: ProjectStore;
  /** onRemote opens the connection with a repository on another host. */
  onRemote: () => void;
  onClose: () => void;
}

/** ProjectSettings edits a project's name and description, and leads to its other settings. */
export function ProjectSettings({ store, onRemote, onClose }: SettingsProps) {
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
      <AgentRules store={store} onClose={onClose} />
      <div>
        <Button icon="terminal" onClick={onRemote}>
          {t.remote.entry}
        </Button>
        <p class="soft small">{t.remote.entryHint}</p>
      </div>
    </FormDialog>
  );
}

const rulesFile = 'AGENTS.md';

// AgentRules opens the project's rules for the agent in the editor, which saves, merges and
// shares them as any file. It creates the file if there is none.
function AgentRules({ store, onClose }: { store: ProjectStore; onClose: () => void }) {
  const { busy, run } = useTask({ onError: complain });
  const open = async () => {
    try {
      const beginning = new Blob([t.project.agentRulesBeginning], { type: 'text/plain' });
      await api.put(`/projects/${store.id}/files/${rulesFile}`, beginning, { headers: { 'If-None-Match': '*' } });
    } catch (error) {
      // 412: the file is there.
      if (!(error instanceof ApiError) || error.status !== 412) throw error;
    }
    await store.reloadFiles();
    onClose();
    store.openFile({ path: rulesFile });
  };
  return (
    <div>
      <Button icon="edit" busy={busy} onClick={() => void run(open)}>
        {t.project.agentRules}
      </Button>
      <p class="soft small">{t.project.agentRulesHint}</p>
    </div>
  );
}
