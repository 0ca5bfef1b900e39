import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Mode, Model } from '~/api/types';
import type { ProviderList } from '~/pages/default-kind';
import { t } from '~/text';
import { Button, Checkbox, Dialog, Failure, Select, TextArea, TextField, useTask } from '~/ui';
import { ModelSelect } from './model-select';
import { modelsOf, providersOf } from './provider-calls';

// readTools change nothing; otherTools change something or inspect running code.
const readTools = [
  'list_files',
  'read_file',
  'search_files',
  'look',
  'backend_query',
  'backend_logs',
  'ask_person',
  'fetch_page',
  'find_connector_tools',
];
const otherTools = [
  'write_file',
  'edit_file',
  'rename_file',
  'delete_file',
  'check_build',
  'run_command',
  'console_logs',
  'act',
  'save_check',
  'backend_request',
  'generate_image',
  'call_connector',
  'todo',
];
const allTools = [...readTools, ...otherTools];

interface ModeFormProps {
  workspaceId: string;
  /** mode is the mode to edit; without it, the form creates one. */
  mode?: Mode;
  onClose: () => void;
  onSaved: (mode: Mode) => void;
}

/** ModeForm creates or edits a mode. */
export function ModeForm({ workspaceId, mode, onClose, onSaved }: ModeFormProps) {
  const [name, setName] = useState(mode?.name ?? '');
  const [prompt, setPrompt] = useState(mode?.prompt ?? '');
  const [tools, setTools] = useState(mode?.tools ?? readTools);
  const [model, setModel] = useState(mode?.model ?? '');
  const [thinking, setThinking] = useState<string>(mode?.thinking ?? '');
  const { busy, error, run } = useTask({ leaves: true });
  const models = useLoad(`models of ${workspaceId}`, (signal) => modelsOfAll(workspaceId, signal));
  const text = t.workspace.modes;
  const submit = (event: Event) => {
    event.preventDefault();
    const path = `/workspaces/${workspaceId}/modes`;
    const body = {
      name,
      prompt,
      tools: allTools.filter((tool) => tools.includes(tool)),
      model: model || null,
      thinking: thinking || null,
    };
    void run(async () =>
      onSaved(
        mode
          ? await api.patch<Mode>(`${path}/${encodeURIComponent(mode.name)}`, body)
          : await api.post<Mode>(path, body),
      ),
    );
  };
  return (
    <Dialog title={mode ? text.editTitle(mode.name) : text.add} wide onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {error !== undefined && <Failure error={error} />}
        <TextField
          label={text.name}
          hint={text.nameHint}
          required
          autofocus
          maxLength={50}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <TextArea
          label={text.prompt}
          hint={text.promptHint}
          required
          maxLength={10_000}
          rows={6}
          value={prompt}
          onInput={(event) => setPrompt(event.currentTarget.value)}
        />
        <Tools tools={tools} onChange={setTools} />
        <ModelSelect
          label={text.model}
          models={models.data ?? []}
          value={model}
          empty={text.modelEmpty}
          onChange={setModel}
        />
        <Select
          label={text.thinking}
          hint={text.thinkingHint}
          value={thinking}
          onChange={(event) => setThinking(event.currentTarget.value)}
        >
          <option value="">{text.thinkingEmpty}</option>
          {(['off', 'low', 'medium', 'high'] as const).map((amount) => (
            <option key={amount} value={amount}>
              {text.thinkingWords[amount]}
            </option>
          ))}
        </Select>
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {mode ? t.shell.save : t.shell.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Tools({ tools, onChange }: { tools: string[]; onChange: (tools: string[]) => void }) {
  const text = t.workspace.modes;
  const toggle = (tool: string) =>
    onChange(tools.includes(tool) ? tools.filter((each) => each !== tool) : [...tools, tool]);
  return (
    <fieldset class="tools">
      <legend class="field__label">{text.tools}</legend>
      <div class="tools__sets">
        <Button small onClick={() => onChange(readTools)}>
          {text.readOnly}
        </Button>
        <Button small onClick={() => onChange(allTools)}>
          {text.all}
        </Button>
      </div>
      <div class="tools__list">
        {allTools.map((tool) => (
          <Checkbox
            key={tool}
            label={text.toolWords[tool]!}
            checked={tools.includes(tool)}
            onChange={() => toggle(tool)}
          />
        ))}
      </div>
      {tools.length === 0 && <p class="field__hint">{text.noTools}</p>}
    </fieldset>
  );
}

// modelsOfAll lists the models of all providers of a workspace under their full names. It
// skips providers that fail.
async function modelsOfAll(workspaceId: string, signal: AbortSignal): Promise<(Model & { name: string })[]> {
  const { items, platform } = await api.get<ProviderList>(providersOf(workspaceId), { signal });
  const lists = await Promise.allSettled(
    [...items, ...platform].map(async (provider) =>
      (await modelsOf(workspaceId, provider.id, signal)).map((model) => ({
        ...model,
        id: `${provider.id}/${model.id}`,
        name: `${provider.name}: ${model.id}`,
      })),
    ),
  );
  return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
}
