import { useEffect, useRef, useState } from 'preact/hooks';

import { t } from '~/text';
import { Banner, Button, Copyable, Loading, TextField } from '~/ui';
import { FirstModel, type FirstStepProps } from './first-model';
import { type Found, isForbidden, takeBack, tryOut, whyNot } from './provider-calls';

/** FirstOllama looks for Ollama on the service's machine and offers its models. */
export function FirstOllama({ workspaceId, onDone }: FirstStepProps) {
  const [address, setAddress] = useState('');
  const [busy, setBusy] = useState(true);
  const [found, setFound] = useState<Found | null>(null);
  const [failure, setFailure] = useState<unknown>();
  const here = useRef(true);
  const look = async () => {
    setBusy(true);
    try {
      const next = await tryOut(workspaceId, {
        kind: 'ollama',
        name: 'Ollama',
        baseUrl: address.trim() || undefined,
        isDefault: true,
      });
      if (!here.current || next.models.length === 0) await takeBack(workspaceId, next.provider);
      setFound(next);
      setFailure(undefined);
    } catch (error) {
      setFound(null);
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    void look();
    return () => {
      here.current = false;
    };
  }, []);

  if (found && found.models.length > 0) return <FirstModel workspaceId={workspaceId} found={found} onDone={onDone} />;
  if (busy && !found && !failure) return <Loading>{t.workspace.first.looking}</Loading>;
  return (
    <div class="first__steps">
      {failure !== undefined && isForbidden(failure) ? (
        <Forbidden />
      ) : (
        <Missing failure={failure} empty={found !== null} />
      )}
      <form
        class="first__again"
        onSubmit={(event) => {
          event.preventDefault();
          void look();
        }}
      >
        <TextField
          label={t.workspace.first.ollamaAddress}
          type="url"
          placeholder={t.workspace.first.thisMachine}
          value={address}
          onInput={(event) => setAddress(event.currentTarget.value)}
        />
        <Button type="submit" kind="primary" icon="reload" busy={busy}>
          {t.workspace.first.lookAgain}
        </Button>
      </form>
    </div>
  );
}

// Forbidden shows the setting that only the operator can change.
function Forbidden() {
  const text = t.workspace.first;
  return (
    <>
      <Banner kind="warning">{text.forbidden}</Banner>
      <p class="soft">{text.forbiddenBest}</p>
      <Copyable label="OLLAMA_HOST" value="OLLAMA_HOST=http://192.168.0.10:11434" />
      <p class="soft">{text.forbiddenElse}</p>
      <Copyable label="PRIVATE_NETWORKS" value="PRIVATE_NETWORKS=allow" />
    </>
  );
}

function Missing({ failure, empty }: { failure: unknown; empty: boolean }) {
  const text = t.workspace.first;
  return (
    <>
      <Banner kind={empty ? 'info' : 'warning'}>{empty ? text.noModels : whyNot(failure)}</Banner>
      {!empty && (
        <p class="soft">
          {text.install}{' '}
          <a href="https://ollama.com/download" target="_blank" rel="noopener noreferrer">
            ollama.com/download
          </a>
        </p>
      )}
      <p class="soft">{text.pull}</p>
      <Copyable label={text.command} value="ollama pull qwen3:8b" />
    </>
  );
}
