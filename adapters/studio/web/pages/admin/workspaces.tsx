import { useEffect, useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { InstanceWorkspace, Page } from '~/api/types';
import { bytes, isolate, money, number, t } from '~/text';
import { Button, complain, Failure, Skeleton, say, TextField, useTask } from '~/ui';
import { WorkspaceForm } from './workspace-form';

// rest is how long typing rests before the search begins, in milliseconds.
const rest = 250;

/** Workspaces lists the workspaces of the installation, with what they use. */
export function Workspaces() {
  const [typed, setTyped] = useState('');
  const [query, setQuery] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQuery(typed.trim()), rest);
    return () => clearTimeout(timer);
  }, [typed]);
  const page = (cursor?: string | null, signal?: AbortSignal) =>
    api.get<Page<InstanceWorkspace>>('/admin/workspaces', {
      query: { limit: 50, ...(cursor ? { cursor } : {}), ...(query ? { q: query } : {}) },
      ...(signal ? { signal } : {}),
    });
  const first = useLoad(`admin workspaces ${query}`, (signal) => page(null, signal));
  const [more, setMore] = useState<Page<InstanceWorkspace> | null>(null);
  const [edited, setEdited] = useState<InstanceWorkspace | null>(null);
  const { busy, run } = useTask({ onError: complain });
  useEffect(() => setMore(null), [first.data]);
  const spaces = [...(first.data?.items ?? []), ...(more?.items ?? [])];
  const cursor = more ? more.nextCursor : first.data?.nextCursor;
  const load = () =>
    run(async () => {
      const next = await page(cursor);
      setMore({ items: [...(more?.items ?? []), ...next.items], nextCursor: next.nextCursor });
    });
  const saved = async (space: InstanceWorkspace) => {
    setEdited(null);
    say(t.admin.quotas.saved(isolate(space.name)));
    await first.reload();
  };
  const text = t.admin.quotas;
  return (
    <section class="page__section" aria-label={t.admin.sections.workspaces}>
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
        (spaces.length === 0 ? (
          <p class="faint small">{t.admin.people.none}</p>
        ) : (
          <ul class="rows">
            {spaces.map((space) => (
              <Row key={space.id} space={space} onEdit={() => setEdited(space)} />
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
      {edited && <WorkspaceForm space={edited} onSaved={saved} onClose={() => setEdited(null)} />}
    </section>
  );
}

function Row({ space, onEdit }: { space: InstanceWorkspace; onEdit: () => void }) {
  const text = t.admin.quotas;
  const { quotas, creditLimit } = space;
  const of = (used: number, limit: number | null) =>
    limit === null ? number(used) : text.of(number(used), number(limit));
  const credit = creditLimit === null ? money(space.creditUsed) : text.of(money(space.creditUsed), money(creditLimit));
  return (
    <li class="row">
      <div class="row__main">
        <div class="person__name">
          <bdi>{space.name}</bdi>
          {space.personal && <span class="badge">{text.personal}</span>}
        </div>
        {space.owner && (
          <div class="row__note">
            <bdi>{space.owner}</bdi>
          </div>
        )}
        <div class="row__note">
          {text.projects(of(space.projects, quotas.projectsPerWorkspace))} ·{' '}
          {text.members(of(space.members, quotas.membersPerWorkspace))} · {bytes(space.bytes)} · {text.credit(credit)}
        </div>
      </div>
      <Button aria-label={text.edit(space.name)} onClick={onEdit}>
        {text.change}
      </Button>
    </li>
  );
}
