import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { FixedProvider, PlatformProvider, Provider } from '~/api/types';
import { isolate, t } from '~/text';
import { Button, complain, Empty, Failure, Icon, Skeleton, say } from '~/ui';
import { platform, providersOf } from '../workspace/provider-calls';
import { ProviderForm } from '../workspace/provider-form';
import { kindInfo } from '../workspace/provider-kinds';
import { ProviderRow } from '../workspace/provider-row';

interface List {
  items: PlatformProvider[];
  fixed: FixedProvider | null;
}

/** AIProviders are the AI providers that all workspaces may use. */
export function AIProviders() {
  const path = providersOf(platform);
  const list = useLoad('platform providers', (signal) => api.get<List>(path, { signal }));
  const [adding, setAdding] = useState(false);
  // fresh is the provider just added, which is tested immediately.
  const [fresh, setFresh] = useState('');
  const text = t.admin.ai;
  const items = list.data?.items;
  const added = (provider: Provider) => {
    setAdding(false);
    setFresh(provider.id);
    void list.reload();
  };
  const turn = async ({ id, name, enabled }: PlatformProvider) => {
    const done = enabled ? text.turnedOff(isolate(name)) : text.turnedOn(isolate(name));
    await api.patch(`${path}/${id}`, { enabled: !enabled }).then(() => say(done), complain);
    await list.reload();
  };
  const add = (
    <Button icon="add" onClick={() => setAdding(true)}>
      {t.workspace.providers.add}
    </Button>
  );
  return (
    <section class="page__section" aria-label={t.admin.sections.ai}>
      <div class="intro">
        <p class="soft">{text.hint}</p>
        {items && items.length > 0 && add}
      </div>
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {!items && list.loading && <Skeleton height={74} />}
      {items?.length === 0 && (
        <div class="card">
          <Empty icon="bolt" title={text.none} actions={add}>
            {text.noneHint}
          </Empty>
        </div>
      )}
      {list.data && (items!.length > 0 || list.data.fixed) && (
        <ul class="rows">
          {items!.map((provider) => (
            <ProviderRow
              key={provider.id}
              workspaceId={platform}
              provider={provider}
              mayWrite
              testAtOnce={provider.id === fresh}
              onChange={list.reload}
              off={provider.enabled ? undefined : text.off}
              more={[
                {
                  label: provider.enabled ? text.turnOff : text.turnOn,
                  icon: provider.enabled ? 'minus' : 'check',
                  onSelect: () => void turn(provider),
                },
              ]}
            />
          ))}
          {list.data.fixed && <Fixed fixed={list.data.fixed} />}
        </ul>
      )}
      {adding && <ProviderForm workspaceId={platform} onClose={() => setAdding(false)} onSaved={added} />}
    </section>
  );
}

// Fixed shows the provider of the settings, which only the operator changes.
function Fixed({ fixed }: { fixed: FixedProvider }) {
  const info = kindInfo(fixed.kind);
  const facts = [fixed.baseUrl ?? info.address, fixed.defaultModel].filter(Boolean) as string[];
  return (
    <li class="provider">
      <div class="provider__head">
        <span class="option__icon">
          <Icon name={info.icon} />
        </span>
        <div class="row__main">
          <div class="person__name">
            <strong>
              <bdi>{info.label}</bdi>
            </strong>
            {fixed.isDefault && <span class="badge badge--accent">{t.workspace.providers.isDefault}</span>}
          </div>
          <div class="row__note">
            {facts.map((fact, index) => (
              <span key={fact}>
                {index > 0 && ' · '}
                <bdi>{fact}</bdi>
              </span>
            ))}
            <div>{t.admin.ai.fixed}</div>
          </div>
        </div>
      </div>
    </li>
  );
}
