import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Provider, ProviderKind } from '~/api/types';
import { t } from '~/text';
import { Banner, Button, Checkbox, Dialog, TextField, useTask } from '~/ui';
import { KindChoice } from './kind-choice';
import { providersOf, whyNot } from './provider-calls';
import { kindInfo, needsKey } from './provider-kinds';

interface ProviderFormProps {
  workspaceId: string;
  /** provider is the provider to edit; without it, the form adds one. */
  provider?: Provider;
  onClose: () => void;
  onSaved: (provider: Provider) => void;
}

interface Fields {
  kind: ProviderKind;
  name: string;
  baseUrl: string;
  key: string;
  dropKey: boolean;
  /** context is the window of the models, in tokens; empty leaves it to the service. */
  context: string;
}

// Bounds of a context, as the service has them.
const leastContext = 2048;
const mostContext = 10_000_000;

/** ProviderForm adds or edits a provider. */
export function ProviderForm({ workspaceId, provider, onClose, onSaved }: ProviderFormProps) {
  const [fields, setFields] = useState<Fields>({
    kind: provider?.kind ?? 'ollama',
    name: provider?.name ?? '',
    key: '',
    dropKey: false,
    baseUrl: provider?.baseUrl ?? '',
    context: String(provider?.contextTokens ?? ''),
  });
  const { busy, error, run } = useTask({ leaves: true });
  const text = t.workspace.providers;
  const set = (change: Partial<Fields>) => setFields({ ...fields, ...change });
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      const path = providersOf(workspaceId);
      onSaved(
        provider
          ? await api.patch<Provider>(`${path}/${provider.id}`, changesOf(provider, fields))
          : await api.post<Provider>(path, inputOf(fields)),
      );
    });
  };
  return (
    <Dialog title={provider ? text.editTitle(provider.name) : text.add} wide={!provider} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {error !== undefined && <Banner kind="error">{whyNot(error)}</Banner>}
        {!provider && <KindChoice value={fields.kind} onChange={(kind) => set({ kind, baseUrl: '' })} />}
        <TextField
          label={text.name}
          hint={text.nameHint}
          required={!!provider}
          autofocus={!!provider}
          maxLength={100}
          placeholder={provider ? undefined : kindInfo(fields.kind).label}
          value={fields.name}
          onInput={(event) => set({ name: event.currentTarget.value })}
        />
        {fields.kind !== 'demo' && <AccessFields provider={provider} fields={fields} set={set} />}
        <div class="dialog__actions">
          <Button onClick={onClose}>{t.shell.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {provider ? t.shell.save : text.add}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function AccessFields({
  provider,
  fields,
  set,
}: {
  provider?: Provider;
  fields: Fields;
  set: (change: Partial<Fields>) => void;
}) {
  const text = t.workspace.providers;
  const { kind, key, dropKey } = fields;
  const baseUrl = fields.baseUrl.trim();
  const moved = provider !== undefined && baseUrl !== (provider.baseUrl ?? '');
  const keeps = provider?.hasKey === true && !moved;
  const required = needsKey(kind, baseUrl) && !keeps;
  return (
    <>
      <TextField
        label={text.baseUrl}
        type="url"
        maxLength={2048}
        hint={text.baseUrlHints[kind]}
        placeholder={kindInfo(kind).address}
        value={fields.baseUrl}
        onInput={(event) => set({ baseUrl: event.currentTarget.value })}
      />
      {provider?.hasKey && moved && !key && <Banner kind="warning">{text.keyDropped}</Banner>}
      <TextField
        label={required || keeps ? text.key : text.keyOptional}
        type="password"
        autocomplete="off"
        maxLength={4096}
        required={required}
        disabled={dropKey}
        value={dropKey ? '' : key}
        hint={keeps ? text.keyKept(provider!.keyHint ?? '…') : text.keySafe}
        onInput={(event) => set({ key: event.currentTarget.value })}
      />
      {keeps && !needsKey(kind, baseUrl) && (
        <Checkbox
          label={text.removeKey}
          checked={dropKey}
          onChange={(event) => set({ dropKey: event.currentTarget.checked })}
        />
      )}
      <TextField
        label={text.context}
        hint={kind === 'ollama' ? text.contextHintOllama : text.contextHint}
        type="number"
        min={leastContext}
        max={mostContext}
        step={1}
        value={fields.context}
        onInput={(event) => set({ context: event.currentTarget.value })}
      />
    </>
  );
}

function inputOf({ kind, name, baseUrl, key, context }: Fields): Record<string, unknown> {
  const input: Record<string, unknown> = { kind, name: name.trim() || kindInfo(kind).label };
  if (kind === 'demo') return input;
  if (baseUrl.trim()) input.baseUrl = baseUrl.trim();
  if (key.trim()) input.apiKey = key.trim();
  if (context) input.contextTokens = Number(context);
  return input;
}

// changesOf omits unchanged fields, because sending the base URL again would delete the key.
function changesOf(provider: Provider, { name, baseUrl, key, dropKey, context }: Fields): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  if (name.trim() !== provider.name) changes.name = name;
  if (baseUrl.trim() !== (provider.baseUrl ?? '')) changes.baseUrl = baseUrl.trim() || null;
  if (dropKey) changes.apiKey = null;
  else if (key.trim()) changes.apiKey = key.trim();
  if (context !== String(provider.contextTokens ?? '')) changes.contextTokens = context ? Number(context) : null;
  return changes;
}
