import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { IdentityProvider, ProviderReport } from '~/api/types';
import { isolate, t } from '~/text';
import { ask, Banner, Button, Copyable, complain, Empty, Failure, Menu, Skeleton, say, useTask } from '~/ui';
import { ProviderForm } from './identity-provider-form';

const path = '/admin/identity-providers';

/** IdentityProviders are the OpenID providers with which people of companies sign in. */
export function IdentityProviders() {
  const list = useLoad('identity providers', (signal) => api.get<{ items: IdentityProvider[] }>(path, { signal }));
  const [open, setOpen] = useState<IdentityProvider | 'new' | null>(null);
  const text = t.admin.providers;
  const items = list.data?.items;
  const add = (
    <Button icon="add" onClick={() => setOpen('new')}>
      {text.add}
    </Button>
  );
  const saved = (name: string) => {
    say(text.saved(isolate(name)));
    setOpen(null);
    void list.reload();
  };
  return (
    <section class="page__section" aria-label={t.admin.sections.providers}>
      <div class="intro">
        <p class="soft">{text.hint}</p>
        {items && items.length > 0 && add}
      </div>
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {!items && list.loading && <Skeleton height={58} />}
      {items?.length === 0 && (
        <div class="card">
          <Empty icon="key" title={text.none} actions={add}>
            {text.noneHint}
          </Empty>
        </div>
      )}
      {items && items.length > 0 && (
        <ul class="rows">
          {items.map((provider) => (
            <ProviderRow
              key={provider.id}
              provider={provider}
              onEdit={() => setOpen(provider)}
              onChange={list.reload}
            />
          ))}
        </ul>
      )}
      {open && (
        <ProviderForm provider={open === 'new' ? undefined : open} onClose={() => setOpen(null)} onSaved={saved} />
      )}
    </section>
  );
}

interface ProviderRowProps {
  provider: IdentityProvider;
  onEdit: () => void;
  onChange: () => Promise<void>;
}

function ProviderRow({ provider, onEdit, onChange }: ProviderRowProps) {
  const [report, setReport] = useState<ProviderReport | null>(null);
  const { busy, run } = useTask({ onError: complain });
  const text = t.admin.providers;
  const own = `${path}/${provider.id}`;
  const test = () => run(async () => setReport(await api.post<ProviderReport>(`${own}/test`)));
  const remove = async () => {
    const sure = await ask({
      title: text.removeTitle(isolate(provider.name)),
      text: text.removeText,
      confirm: t.shell.delete,
      danger: true,
    });
    if (!sure) return;
    await api.delete(own).then(() => say(text.removed(isolate(provider.name))), complain);
    await onChange();
  };
  return (
    <li class="row hook">
      <div class="row__main">
        <div>
          <strong>
            <bdi>{provider.name}</bdi>
          </strong>{' '}
          {provider.only && <span class="badge">{text.onlyBadge}</span>}
        </div>
        <p class="row__note hook__url">
          <bdi>{provider.issuer}</bdi>
        </p>
        <p class="row__note">{text.register}</p>
        <Copyable label={text.redirectUri} value={provider.redirectUri} />
        <Copyable label={text.signOutUri} value={provider.signOutUri} />
        {report && <Report report={report} name={provider.name} />}
      </div>
      <Button busy={busy} onClick={() => void test()} aria-label={`${text.test}: ${provider.name}`}>
        {text.test}
      </Button>
      <Menu
        label={text.actionsFor(provider.name)}
        items={[
          { label: text.editTitle, icon: 'edit', onSelect: onEdit },
          { label: t.shell.delete, icon: 'trash', danger: true, onSelect: () => void remove() },
        ]}
      />
    </li>
  );
}

// Report says what a test found.
function Report({ report, name }: { report: ProviderReport; name: string }) {
  const text = t.admin.providers;
  if (report.problems.length === 0) return <Banner kind="good">{text.fine(isolate(name))}</Banner>;
  return (
    <Banner kind={report.ok ? 'warning' : 'error'}>
      <p>{report.ok ? text.warned : text.blocked}</p>
      <ul>
        {report.problems.map(({ kind, detail }) => (
          <li key={kind}>
            {text.problems[kind] ?? kind}
            {detail && (
              <>
                {' '}
                <code dir="ltr">{detail}</code>
              </>
            )}
          </li>
        ))}
      </ul>
    </Banner>
  );
}
