import { useState } from 'preact/hooks';

import { api, ApiError } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Domain, Project } from '~/api/types';
import { t } from '~/text';
import { ask, Button, complain, Copyable, Failure, inWords, Skeleton, TextField, useTask, When } from '~/ui';
import type { ProjectStore } from '../store';

/** Domains are the names of their own that people let lead to the site. */
export function Domains({ store, isAdmin }: { store: ProjectStore; isAdmin: boolean }) {
  const { data, error, reload, set } = useLoad(store.id, (signal) => api.get<{ items: Domain[] }>(`/domains/project/${store.id}`, { signal }));
  const changed = (next: Domain) => set(({ items }) => ({ items: items.some(({ id }) => id === next.id) ? items.map((item) => (item.id === next.id ? next : item)) : [...items, next] }));
  const removed = (id: string) => set(({ items }) => ({ items: items.filter((item) => item.id !== id) }));
  return (
    <section class="page__section" aria-labelledby="domains">
      <h2 id="domains">{t.publish.domains}</h2>
      <p class="soft">{t.publish.domainsHint} {!isAdmin && t.publish.domainsAdmins}</p>
      {error ? <Failure error={error} retry={reload} /> : !data ? <Skeleton height={52} /> : data.items.length === 0 && !isAdmin && <p class="soft">{t.publish.domainsEmpty}</p>}
      {data?.items.map((domain) => <Claim key={domain.id} store={store} domain={domain} isAdmin={isAdmin} onChanged={changed} onRemoved={removed} />)}
      {isAdmin && data && <AddDomain store={store} onAdded={changed} />}
    </section>
  );
}

function AddDomain({ store, onAdded }: { store: ProjectStore; onAdded: (domain: Domain) => void }) {
  const [name, setName] = useState('');
  const { busy, error, run, clear } = useTask();
  const failure = error === undefined ? undefined : isTaken(error) ? t.publish.domainTaken : inWords(error);
  const add = (event: Event) => {
    event.preventDefault();
    if (!name.trim()) return;
    void run(async () => {
      onAdded(await api.post<Domain>(`/domains/project/${store.id}`, { domain: name.trim() }));
      setName('');
    });
  };
  return (
    <form class="inline-form" onSubmit={add}>
      <TextField label={t.publish.domain} placeholder={t.publish.domainPlaceholder} value={name} error={failure} autocomplete="off" autocapitalize="off" spellcheck={false} inputMode="url" onInput={(event) => { setName(event.currentTarget.value); clear(); }} />
      <Button type="submit" icon="add" busy={busy} disabled={!name.trim()}>{t.publish.addDomain}</Button>
    </form>
  );
}

function isTaken(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'domain_taken';
}

interface ClaimProps {
  store: ProjectStore;
  domain: Domain;
  isAdmin: boolean;
  onChanged: (domain: Domain) => void;
  onRemoved: (id: string) => void;
}

const looks: Record<Domain['status'], string> = { pending_dns: 'badge badge--warning', pending_verification: 'badge badge--warning', active: 'badge badge--good', error: 'badge badge--danger' };

function Claim({ store, domain, isAdmin, onChanged, onRemoved }: ClaimProps) {
  const { busy, run } = useTask({ onError: (error) => complain(isTaken(error) ? new Error(t.publish.domainTaken) : error) });
  const renewProject = async () => { store.project.value = await api.get<Project>(`/projects/${store.id}`); };
  const verify = () => run(async () => {
    onChanged(await api.post<Domain>(`/domains/${domain.id}/verify`));
    await renewProject();
  });
  const remove = async () => {
    if (!(await ask({ title: t.publish.removeDomainTitle(domain.domain), text: t.publish.removeDomainText, confirm: t.publish.removeDomain, danger: true }))) return;
    await api.delete(`/domains/${domain.id}`);
    onRemoved(domain.id);
    await renewProject();
  };
  const isActive = domain.status === 'active';
  return (
    <article class="card claim" aria-label={domain.domain}>
      <div class="site__head">
        <h3><bdi>{domain.domain}</bdi></h3>
        <span class={looks[domain.status]}>{t.publish.domainStatus[domain.status]}</span>
      </div>
      <Finding domain={domain} isPublished={store.project.value.url !== null} />
      {!isActive && <Records domain={domain} />}
      {isAdmin && (
        <div class="form__actions">
          <Button small icon="reload" busy={busy} onClick={() => void verify()}>{t.publish.verify}</Button>
          <Button kind="danger" small onClick={() => void remove().catch(complain)}>{t.publish.removeDomain}</Button>
        </div>
      )}
    </article>
  );
}

// Finding says what was found when the name was last looked at.
function Finding({ domain, isPublished }: { domain: Domain; isPublished: boolean }) {
  const words = t.publish;
  if (domain.status === 'active' && !domain.message) return <p class="soft">{words.domainAllWell} {!isPublished && words.publishFirst}</p>;
  // Before the first look the message says what the records below say.
  if (!domain.checkedAt || !domain.message) return null;
  return <p class={domain.status === 'error' ? undefined : 'soft'}>{words.lookedAt} <When at={domain.checkedAt} />: <bdi>{domain.message}</bdi></p>;
}

function Records({ domain }: { domain: Domain }) {
  const words = t.publish;
  return (
    <>
      <p class="small">{words.records}</p>
      <RecordList title={words.proof} type="TXT" name={domain.txtName} value={domain.txtValue} />
      <RecordList title={words.pointing} type={words.pointingType} name={domain.domain} value={domain.target} />
    </>
  );
}

function RecordList({ title, type, name, value }: { title: string; type: string; name: string; value: string }) {
  return (
    <div class="record">
      <h4>{title}</h4>
      <dl>
        <dt>{t.publish.recordType}</dt>
        <dd>{type}</dd>
        <dt>{t.publish.recordName}</dt>
        <dd><Copyable value={name} label={`${t.publish.recordName}: ${name}`} /></dd>
        <dt>{t.publish.recordValue}</dt>
        <dd><Copyable value={value} label={`${t.publish.recordValue}: ${value}`} /></dd>
      </dl>
    </div>
  );
}
