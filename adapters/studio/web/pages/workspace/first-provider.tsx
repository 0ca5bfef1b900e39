import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Provider } from '~/api/types';
import { t } from '~/text';
import { Button, complain, Icon, type IconName, Spinner, useTask } from '~/ui';
import { FirstKey } from './first-key';
import type { FirstStepProps } from './first-model';
import { FirstOllama } from './first-ollama';
import { providersOf } from './provider-calls';

type Way = 'ollama' | 'key';

interface FirstProviderProps extends FirstStepProps {
  /** isDemo says that the demo answers already. */
  isDemo?: boolean;
}

/** FirstProvider helps to add the first AI provider, in two clicks if possible. */
export function FirstProvider({ workspaceId, isDemo, onDone }: FirstProviderProps) {
  const [way, setWay] = useState<Way | null>(null);
  const { busy, run } = useTask({ leaves: true, onError: complain });
  const text = t.workspace.first;
  const demo = () =>
    run(async () => {
      await api.post<Provider>(providersOf(workspaceId), { kind: 'demo', name: text.demoName, isDefault: true });
      onDone();
    });
  return (
    <div class="first">
      {way === null && (
        <div class="first__ways">
          <Door icon="laptop" title={text.ollama} hint={text.ollamaHint} onClick={() => setWay('ollama')} />
          <Door icon="key" title={text.key} hint={text.keyHint} onClick={() => setWay('key')} />
          {!isDemo && <Door icon="play" title={text.demo} hint={text.demoHint} busy={busy} onClick={demo} />}
        </div>
      )}
      {way && (
        <Button small kind="quiet" icon="back" onClick={() => setWay(null)}>
          {text.otherWay}
        </Button>
      )}
      {way === 'ollama' && <FirstOllama workspaceId={workspaceId} onDone={onDone} />}
      {way === 'key' && <FirstKey workspaceId={workspaceId} onDone={onDone} />}
    </div>
  );
}

export default FirstProvider;

function Door({
  icon,
  title,
  hint,
  busy,
  onClick,
}: {
  icon: IconName;
  title: string;
  hint: string;
  busy?: boolean;
  onClick: () => void;
}) {
  return (
    <button type="button" class="option" disabled={busy} aria-busy={busy || undefined} onClick={onClick}>
      <span class="option__icon">{busy ? <Spinner /> : <Icon name={icon} />}</span>
      <span class="option__text">
        <strong>{title}</strong>
        <span>{hint}</span>
      </span>
    </button>
  );
}
