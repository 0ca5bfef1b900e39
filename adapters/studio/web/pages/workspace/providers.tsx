import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Provider, ProviderKind, Workspace } from '~/api/types';
import { atLeast, me } from '~/app/session';
import { t } from '~/text';
import { Banner, Button, Empty, Failure, Skeleton } from '~/ui';
import type { ProviderList } from '../default-kind';
import { FirstProvider } from './first-provider';
import { providersOf } from './provider-calls';
import { ProviderForm } from './provider-form';
import { ProviderRow } from './provider-row';

/** Providers lists a workspace's AI providers. */
export function Providers({ space }: { space: Workspace }) {
  const list = useLoad(`providers ${space.id}`, (signal) => api.get<ProviderList>(providersOf(space.id), { signal }));
  const [adding, setAdding] = useState(false);
  // fresh is the provider just added, which is tested immediately.
  const [fresh, setFresh] = useState('');
  const mayWrite = atLeast(space.role, 'admin');
  const text = t.workspace.providers;
  const items = list.data?.items;
  const added = (provider: Provider) => {
    setAdding(false);
    setFresh(provider.id);
    void list.reload();
  };
  return (
    <section class="page__section" aria-label={t.workspace.sections.providers}>
      <div class="intro">
        <p class="soft">{text.hint}</p>
        {mayWrite && items && (
          <Button icon="add" onClick={() => setAdding(true)}>
            {text.add}
          </Button>
        )}
      </div>
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {!items && list.loading && <Skeleton height={74} />}
      {items?.length === 0 && (
        <None space={space} mayWrite={mayWrite} kind={list.data?.defaultKind ?? null} onDone={list.reload} />
      )}
      {items && items.length > 0 && (
        <ul class="rows">
          {items.map((provider) => (
            <ProviderRow
              key={provider.id}
              workspaceId={space.id}
              provider={provider}
              mayWrite={mayWrite}
              testAtOnce={provider.id === fresh}
              onChange={list.reload}
            />
          ))}
        </ul>
      )}
      {adding && <ProviderForm workspaceId={space.id} onClose={() => setAdding(false)} onSaved={added} />}
    </section>
  );
}

interface NoneProps {
  space: Workspace;
  mayWrite: boolean;
  /** kind is that of the provider that answers meanwhile, null if none does. */
  kind: ProviderKind | null;
  onDone: () => void;
}

function None({ space, mayWrite, kind, onDone }: NoneProps) {
  const text = t.workspace.providers;
  const platform = me.value?.features.platformProvider === true;
  const isDemo = kind === 'demo';
  if (!mayWrite)
    return (
      <Empty icon="bolt" title={text.none}>
        {platform ? text.nonePlatform : text.noneMember}
      </Empty>
    );
  return (
    <div class="card card--stack">
      <h2>{text.none}</h2>
      {platform ? <Banner>{isDemo ? text.noneDemo : text.nonePlatform}</Banner> : <p class="soft">{text.noneHint}</p>}
      <FirstProvider workspaceId={space.id} isDemo={isDemo} onDone={onDone} />
    </div>
  );
}
