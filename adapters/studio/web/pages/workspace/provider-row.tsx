import { useEffect, useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Provider, ProviderTest } from '~/api/types';
import { t } from '~/text';
import { ask, Button, complain, Icon, Menu, type MenuItem, say } from '~/ui';
import { providersOf } from './provider-calls';
import { ProviderForm } from './provider-form';
import { kindInfo } from './provider-kinds';
import { ProviderModel } from './provider-model';
import { TestResult } from './provider-result';

interface ProviderRowProps {
  /** workspaceId may be platform. */
  workspaceId: string;
  provider: Provider;
  mayWrite: boolean;
  /** testAtOnce starts a test on mount, for a new provider. */
  testAtOnce: boolean;
  onChange: () => Promise<void>;
  /** off says that the provider is switched off, and why in a word. */
  off?: string;
  /** more are further actions. */
  more?: MenuItem[];
}

/** ProviderRow shows a provider and its actions. */
export function ProviderRow(props: ProviderRowProps) {
  const { workspaceId, provider, mayWrite, testAtOnce, onChange, off } = props;
  const [open, setOpen] = useState<'edit' | 'model' | null>(null);
  const [testing, setTesting] = useState(false);
  const [result, setResult] = useState<ProviderTest | null>(null);
  const path = `${providersOf(workspaceId)}/${provider.id}`;
  const test = async () => {
    setTesting(true);
    setResult(null);
    await api
      .post<ProviderTest>(`${path}/test`)
      .then(setResult, (error) => setResult({ ok: false, latencyMs: 0, message: error.message, capabilities: null }));
    setTesting(false);
  };
  useEffect(() => {
    if (testAtOnce && mayWrite) void test();
  }, []);
  const saved = async (next: Provider) => {
    setOpen(null);
    say(t.workspace.providers.saved(next.name));
    await onChange();
    void test();
  };
  return (
    <li class="provider">
      <div class="provider__head">
        <span class="option__icon">
          <Icon name={kindInfo(provider.kind).icon} />
        </span>
        <div class="row__main">
          <div class="person__name">
            <strong>
              <bdi>{provider.name}</bdi>
            </strong>
            {provider.isDefault && <span class="badge badge--accent">{t.workspace.providers.isDefault}</span>}
            {off && <span class="badge">{off}</span>}
          </div>
          <Facts provider={provider} />
        </div>
        {mayWrite && (
          <Button small busy={testing} aria-label={t.workspace.providers.testOf(provider.name)} onClick={test}>
            {t.workspace.providers.test}
          </Button>
        )}
        {mayWrite && <ProviderMenu {...props} path={path} onOpen={setOpen} />}
      </div>
      {(testing || result) && (
        <TestResult
          result={result}
          onModel={result?.ok && provider.kind !== 'demo' ? () => setOpen('model') : undefined}
          onEdit={() => setOpen('edit')}
        />
      )}
      {open === 'edit' && (
        <ProviderForm workspaceId={workspaceId} provider={provider} onClose={() => setOpen(null)} onSaved={saved} />
      )}
      {open === 'model' && (
        <ProviderModel workspaceId={workspaceId} provider={provider} onClose={() => setOpen(null)} onSaved={saved} />
      )}
    </li>
  );
}

// Facts summarises a provider in one line.
function Facts({ provider }: { provider: Provider }) {
  const text = t.workspace.providers;
  const info = kindInfo(provider.kind);
  const key = provider.hasKey
    ? provider.keyHint
      ? text.keyShort(provider.keyHint)
      : text.keySet
    : info.takesKey && provider.kind !== 'ollama' && text.noKey;
  const facts = [provider.kind === 'demo' ? info.hint : info.label, provider.baseUrl ?? info.address, key].filter(
    Boolean,
  ) as string[];
  return (
    <div class="row__note">
      <div>
        {facts.map((fact, index) => (
          <span key={index}>
            {index > 0 && ' · '}
            <bdi>{fact}</bdi>
          </span>
        ))}
      </div>
      {provider.kind !== 'demo' && (
        <div>
          {text.model}:{' '}
          {provider.defaultModel ? (
            <code>
              <bdi>{provider.defaultModel}</bdi>
            </code>
          ) : (
            text.noModel
          )}
        </div>
      )}
    </div>
  );
}

interface ProviderMenuProps extends ProviderRowProps {
  path: string;
  onOpen: (what: 'edit' | 'model') => void;
}

function ProviderMenu({ path, provider, onOpen, onChange, off, more = [] }: ProviderMenuProps) {
  const text = t.workspace.providers;
  const makeDefault = async () => {
    await api.patch(path, { isDefault: true }).then(() => say(text.madeDefault(provider.name)), complain);
    await onChange();
  };
  const remove = async () => {
    if (
      !(await ask({
        title: text.removeTitle(provider.name),
        text: text.removeText,
        confirm: text.remove,
        danger: true,
      }))
    )
      return;
    await api.delete(path).then(() => say(text.removed(provider.name)), complain);
    await onChange();
  };
  const items: MenuItem[] = [
    { label: text.edit, icon: 'edit', onSelect: () => onOpen('edit') },
    ...(provider.kind === 'demo'
      ? []
      : [{ label: text.chooseModel, icon: 'list' as const, onSelect: () => onOpen('model') }]),
    ...(provider.isDefault || off
      ? []
      : [{ label: text.makeDefault, icon: 'check' as const, onSelect: () => void makeDefault() }]),
    ...more,
    null,
    { label: text.remove, icon: 'trash', danger: true, onSelect: () => void remove() },
  ];
  return <Menu label={text.actionsFor(provider.name)} items={items} small />;
}
