import { useEffect, useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Page, Person } from '~/api/types';
import { me } from '~/app/session';
import { isolate, moment, t } from '~/text';
import { Avatar, ask, Button, complain, Failure, Menu, type MenuItem, Skeleton, say, TextField, useTask } from '~/ui';
import { Invites } from './invites';

// How long typing rests before the search begins, in milliseconds.
const rest = 250;

/** People lists the accounts of the installation. */
export function People() {
  const [typed, setTyped] = useState('');
  const [query, setQuery] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQuery(typed.trim()), rest);
    return () => clearTimeout(timer);
  }, [typed]);
  const first = useLoad(`people ${query}`, (signal) =>
    api.get<Page<Person>>('/admin/users', { query: { limit: 50, ...(query ? { q: query } : {}) }, signal }),
  );
  const [more, setMore] = useState<Page<Person> | null>(null);
  const { busy, run } = useTask({ onError: complain });
  useEffect(() => setMore(null), [first.data]);
  const people = [...(first.data?.items ?? []), ...(more?.items ?? [])];
  const cursor = more ? more.nextCursor : first.data?.nextCursor;
  const load = () =>
    run(async () => {
      const next = await api.get<Page<Person>>('/admin/users', {
        query: { limit: 50, cursor, ...(query ? { q: query } : {}) },
      });
      setMore({ items: [...(more?.items ?? []), ...next.items], nextCursor: next.nextCursor });
    });
  const text = t.admin.people;
  return (
    <>
      <section class="page__section" aria-label={t.admin.sections.people}>
        <p class="soft">{text.hint}</p>
        <TextField
          label={text.search}
          type="search"
          autocomplete="off"
          maxLength={200}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        {first.error && <Failure error={first.error} retry={first.reload} />}
        {!first.data && first.loading && <Skeleton height={58} />}
        {first.data &&
          (people.length === 0 ? (
            <p class="faint small">{text.none}</p>
          ) : (
            <ul class="rows">
              {people.map((person) => (
                <PersonRow key={person.id} person={person} onChange={first.reload} />
              ))}
            </ul>
          ))}
        {cursor && (
          <div>
            <Button busy={busy} onClick={load}>
              {t.shell.showMore}
            </Button>
          </div>
        )}
      </section>
      <Invites />
    </>
  );
}

function PersonRow({ person, onChange }: { person: Person; onChange: () => Promise<void> }) {
  const name = person.displayName || person.email;
  const text = t.admin.people;
  return (
    <li class="row person">
      <Avatar name={name} url={person.avatarUrl} />
      <div class="row__main">
        <div class="person__name">
          <bdi>{name}</bdi>
          {person.id === me.value?.user.id && <span class="badge">{text.you}</span>}
          {person.admin && <span class="badge">{text.admin}</span>}
          {person.mfa && <span class="badge">{text.twoStep}</span>}
          {person.disabledAt && <span class="badge badge--warning">{text.disabled}</span>}
        </div>
        <div class="row__note">
          {person.displayName && (
            <>
              <bdi>{person.email}</bdi> ·{' '}
            </>
          )}
          {person.lastSeenAt ? text.seen(moment(person.lastSeenAt)) : text.unseen} ·{' '}
          {text.workspaces(person.workspaces)}
          {!person.emailVerified && ` · ${text.unverified}`}
        </div>
      </div>
      <PersonMenu person={person} name={name} onChange={onChange} />
    </li>
  );
}

function PersonMenu({ person, name, onChange }: { person: Person; name: string; onChange: () => Promise<void> }) {
  const text = t.admin.people;
  const path = `/admin/users/${person.id}`;
  const isSelf = person.id === me.value?.user.id;
  const change = async (body: { admin?: boolean; disabled?: boolean }) => {
    await api.patch(path, body).then(() => say(text.changed(isolate(name))), complain);
    await onChange();
  };
  const signOut = async () => {
    await api.post(`${path}/sign-out`).then(() => say(text.signedOut(isolate(name))), complain);
    await onChange();
  };
  const disable = async () => {
    const sure = await ask({
      title: text.disableTitle(name),
      text: text.disableText,
      confirm: text.disable,
      danger: true,
    });
    if (sure) await change({ disabled: true });
  };
  const resetTwoStep = async () => {
    const sure = await ask({
      title: text.resetTitle(name),
      text: text.resetText,
      confirm: text.reset,
      danger: true,
    });
    if (!sure) return;
    await api.post(`${path}/reset-mfa`).then(() => say(text.wasReset(isolate(name))), complain);
    await onChange();
  };
  const remove = async () => {
    const sure = await ask({
      title: text.deleteTitle(name),
      text: text.deleteText,
      confirm: text.delete,
      danger: true,
    });
    if (!sure) return;
    await api.delete(path).then(() => say(text.deleted(isolate(name))), complain);
    await onChange();
  };
  const items: MenuItem[] = [
    ...(person.named
      ? [text.named]
      : [
          {
            label: person.admin ? text.unmakeAdmin : text.makeAdmin,
            icon: 'shield' as const,
            onSelect: () => void change({ admin: !person.admin }),
          },
        ]),
    { label: text.signOut, icon: 'back', onSelect: () => void signOut() },
    ...(person.mfa ? [{ label: text.reset, icon: 'key' as const, onSelect: () => void resetTwoStep() }] : []),
    person.disabledAt
      ? { label: text.enable, icon: 'check', onSelect: () => void change({ disabled: false }) }
      : { label: text.disable, icon: 'lock', danger: true, onSelect: () => void disable() },
    { label: text.delete, icon: 'trash', danger: true, onSelect: () => void remove() },
  ];
  return isSelf ? <span class="person__gap" /> : <Menu label={text.actionsFor(name)} items={items} />;
}
