import { useState } from 'preact/hooks';

import type { ProviderKind } from '~/api/types';
import { t } from '~/text';
import { Banner, Button, TextField, useTask } from '~/ui';
import { FirstModel, type FirstStepProps } from './first-model';
import { KindChoice } from './kind-choice';
import { type Found, tryOut, whyNot } from './provider-calls';
import { kindInfo, needsKey } from './provider-kinds';

/** FirstKey takes a vendor's API key and offers its models. */
export function FirstKey({ workspaceId, onDone }: FirstStepProps) {
  const [kind, setKind] = useState<ProviderKind>('anthropic');
  const [key, setKey] = useState('');
  const [address, setAddress] = useState('');
  const [found, setFound] = useState<Found | null>(null);
  const { busy, error, run } = useTask();
  const text = t.workspace.providers;
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      setFound(
        await tryOut(workspaceId, {
          kind,
          name: nameOf(kind, address),
          apiKey: key.trim() || undefined,
          baseUrl: address.trim() || undefined,
          isDefault: true,
        }),
      );
    });
  };
  if (found) return <FirstModel workspaceId={workspaceId} found={found} onDone={onDone} />;
  return (
    <form class="form" onSubmit={submit}>
      {error !== undefined && <Banner kind="error">{whyNot(error)}</Banner>}
      <KindChoice kinds={['anthropic', 'openai']} value={kind} onChange={setKind} />
      <TextField
        label={text.key}
        type="password"
        autocomplete="off"
        required={needsKey(kind, address.trim())}
        maxLength={4096}
        value={key}
        hint={text.keySafe}
        onInput={(event) => setKey(event.currentTarget.value)}
      />
      <TextField
        label={text.baseUrl}
        type="url"
        value={address}
        placeholder={kindInfo(kind).address}
        hint={text.baseUrlHints[kind]}
        onInput={(event) => setAddress(event.currentTarget.value)}
      />
      <div class="form__actions">
        <Button kind="primary" type="submit" busy={busy}>
          {t.workspace.first.connect}
        </Button>
      </div>
    </form>
  );
}

// nameOf names a provider by its host, to tell several of a kind apart.
function nameOf(kind: ProviderKind, address: string): string {
  const names: Record<string, string> = { ollama: 'Ollama', openai: 'OpenAI', anthropic: 'Anthropic', demo: 'Demo' };
  const fallback = names[kind] ?? kind;
  return URL.canParse(address.trim()) ? new URL(address.trim()).host.slice(0, 100) || fallback : fallback;
}
