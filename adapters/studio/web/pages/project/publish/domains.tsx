import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Domain, DomainCheck, DomainChecks, Project } from '~/api/types';
import { t } from '~/text';
import { ask, Button, Copyable, complain, Failure, Icon, inWords, Skeleton, TextField, useTask, When } from '~/ui';
import type { ProjectStore } from '../store';

/** Domains manages the site's custom domains. */
export function Domains({ store, isAdmin }: { store: ProjectStore; isAdmin: boolean }) {
  const { data, error, reload, set } = useLoad(store.id, (signal) =>
    api.get<{ items: Domain[] }>(`/domains/project/${store.id}`, { signal }),
  );
  const changed = (next: Domain) =>
    set(({ items }) => ({
      items: items.some(({ id }) => id === next.id)
        ? items.map((item) => (item.id === next.id ? next : item))
        : [...items, next],
    }));
  const removed = (id: string) => set(({ items }) => ({ items: items.filter((item) => item.id !== id) }));
  return (
    <section class="page__section" aria-labelledby="domains">
      <h2 id="domains">{t.publish.domains}</h2>
      <p class="soft">
        {t.publish.domainsHint} {!isAdmin && t.publish.domainsAdmins}
      </p>
      {error ? (
        <Failure error={error} retry={reload} />
      ) : !data ? (
        <Skeleton height={52} />
      ) : (
        data.items.length === 0 && !isAdmin && <p class="soft">{t.publish.domainsEmpty}</p>
      )}
      {data?.items.map((domain) => (
        <Claim
          key={domain.id}
          store={store}
          domain={domain}
          isAdmin={isAdmin}
          onChanged={changed}
          onRemoved={removed}
          onMoved={() => void reload()}
        />
      ))}
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
      <TextField
        label={t.publish.domain}
        placeholder={t.publish.domainPlaceholder}
        value={name}
        error={failure}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        inputMode="url"
        onInput={(event) => {
          setName(event.currentTarget.value);
          clear();
        }}
      />
      <Button type="submit" icon="add" busy={busy} disabled={!name.trim()}>
        {t.publish.addDomain}
      </Button>
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
  /** onMoved is called after another domain has become the primary one. */
  onMoved: () => void;
}

const looks: Record<Domain['status'], string> = {
  pending_dns: 'badge badge--warning',
  pending_verification: 'badge badge--warning',
  active: 'badge badge--good',
  error: 'badge badge--danger',
};

function Claim({ store, domain, isAdmin, onChanged, onRemoved, onMoved }: ClaimProps) {
  const { busy, run } = useTask({
    onError: (error) => complain(isTaken(error) ? new Error(t.publish.domainTaken) : error),
  });
  const renewProject = async () => {
    store.project.value = await api.get<Project>(`/projects/${store.id}`);
  };
  const verify = () =>
    run(async () => {
      onChanged(await api.post<Domain>(`/domains/${domain.id}/verify`));
      await renewProject();
    });
  const remove = async () => {
    if (
      !(await ask({
        title: t.publish.removeDomainTitle(domain.domain),
        text: t.publish.removeDomainText,
        confirm: t.publish.removeDomain,
        danger: true,
      }))
    )
      return;
    await api.delete(`/domains/${domain.id}`);
    onRemoved(domain.id);
    if (domain.primary) onMoved();
    await renewProject();
  };
  const makePrimary = () =>
    run(async () => {
      await api.post<Domain>(`/domains/${domain.id}/primary`);
      onMoved();
      await renewProject();
    });
  const isActive = domain.status === 'active';
  return (
    <article class="card claim" aria-label={domain.domain}>
      <div class="site__head">
        <h3>
          <bdi>{domain.domain}</bdi>
        </h3>
        <span class={looks[domain.status]}>{t.publish.domainStatus[domain.status]}</span>
        {domain.primary && <span class="badge">{t.publish.domainPrimary}</span>}
      </div>
      <Finding domain={domain} project={store.project.value} />
      {(!isActive || domain.message) && <Records domain={domain} />}
      {isAdmin && (
        <div class="form__actions">
          <Button small icon="reload" busy={busy} onClick={() => void verify()}>
            {t.publish.verify}
          </Button>
          {isActive && !domain.primary && (
            <Button small busy={busy} onClick={() => void makePrimary()}>
              {t.publish.makePrimary}
            </Button>
          )}
          <Button kind="danger" small onClick={() => void remove().catch(complain)}>
            {t.publish.removeDomain}
          </Button>
        </div>
      )}
    </article>
  );
}

// Finding explains the state of a domain in the user's language. Conflicts show the
// service's message.
function Finding({ domain, project }: { domain: Domain; project: Project }) {
  const words = t.publish;
  const { status, checks, checkedAt, message } = domain;
  if (status === 'active' && !message) {
    const well =
      domain.primary || !project.customDomain ? words.domainAllWell : words.domainRedirects(project.customDomain);
    return (
      <p class="soft">
        {well} {project.url === null && words.publishFirst}
      </p>
    );
  }
  // Before the first check, the message would only repeat the records below.
  if (!checkedAt) return null;
  const isMissing = checks !== null && (checks.pointing !== 'present' || checks.proof !== 'present');
  return (
    <>
      <p class="soft small">
        {words.lookedAt} <When at={checkedAt} />
      </p>
      {isMissing && status === 'active' && <p>{words.domainSoonGone}</p>}
      {!isMissing && message && (
        <p>
          <bdi>{message}</bdi>
        </p>
      )}
    </>
  );
}

function Records({ domain }: { domain: Domain }) {
  const words = t.publish;
  const { checks, target } = domain;
  return (
    <>
      <p class="small">{words.records}</p>
      <RecordList
        title={words.proof}
        type="TXT"
        name={domain.txtName}
        value={domain.txtValue}
        check={checks && words.proofChecks[checks.proof]}
        found={checks?.proof}
      />
      <RecordList
        title={words.pointing}
        type={words.pointingType}
        name={domain.domain}
        value={target}
        check={checks && whereTo(checks)}
        found={checks?.pointing}
      />
    </>
  );
}

// whereTo lists the addresses that the name resolves to, if they are not the service's.
function whereTo({ pointing, leadsTo, addresses }: DomainChecks): string {
  const words = t.publish;
  if (pointing !== 'missing') return words.pointingChecks[pointing];
  const parts = [leadsTo.length > 0 ? words.leadsElsewhere(leadsTo.join(', ')) : words.pointingChecks.missing];
  if (addresses.length > 0) parts.push(words.orAddresses(addresses.join(', ')));
  return parts.join(' ');
}

interface RecordProps {
  title: string;
  type: string;
  name: string;
  value: string;
  /** found is the state of the record, check its text; both are missing before the first check. */
  found: DomainCheck | undefined;
  check: string | null;
}

const marks = { present: 'check', missing: 'close', unknown: 'clock' } as const;

function RecordList({ title, type, name, value, found, check }: RecordProps) {
  return (
    <div class="record">
      <h4>{title}</h4>
      {found && (
        <p class={`record__found record__found--${found}`}>
          <Icon name={marks[found]} />
          <span>{check}</span>
        </p>
      )}
      <dl>
        <dt>{t.publish.recordType}</dt>
        <dd>{type}</dd>
        <dt>{t.publish.recordName}</dt>
        <dd>
          <Copyable value={name} label={`${t.publish.recordName}: ${name}`} />
        </dd>
        <dt>{t.publish.recordValue}</dt>
        <dd>
          <Copyable value={value} label={`${t.publish.recordValue}: ${value}`} />
        </dd>
      </dl>
    </div>
  );
}
