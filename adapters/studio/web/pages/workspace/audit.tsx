import { useEffect, useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { AuditEntry, Page, Workspace } from '~/api/types';
import { moment, t } from '~/text';
import { Button, complain, Empty, Failure, Skeleton, useTask, When } from '~/ui';

/** Audit shows a workspace's security log, newest first. */
export function Audit({ space }: { space: Workspace }) {
  const { sections, audit } = t.workspace;
  return <Log path={`/workspaces/${space.id}/audit`} label={sections.audit} hint={audit.hint} />;
}

/** Log shows the entries that an address lists, newest first. */
export function Log({ path, label, hint }: { path: string; label: string; hint: string }) {
  const first = useLoad(`log ${path}`, (signal) => api.get<Page<AuditEntry>>(path, { query: { limit: 50 }, signal }));
  const [more, setMore] = useState<Page<AuditEntry> | null>(null);
  const { busy, run } = useTask({ onError: complain });
  useEffect(() => setMore(null), [first.data]);
  const text = t.workspace.audit;
  const entries = [...(first.data?.items ?? []), ...(more?.items ?? [])];
  const cursor = more ? more.nextCursor : first.data?.nextCursor;
  const load = () =>
    run(async () => {
      const next = await api.get<Page<AuditEntry>>(path, { query: { limit: 50, cursor } });
      setMore({ items: [...(more?.items ?? []), ...next.items], nextCursor: next.nextCursor });
    });
  return (
    <section class="page__section" aria-label={label}>
      <p class="soft">{hint}</p>
      {first.error && <Failure error={first.error} retry={first.reload} />}
      {!first.data && first.loading && <Skeleton height={180} />}
      {first.data &&
        (entries.length === 0 ? (
          <Empty icon="shield" title={text.none} />
        ) : (
          <ol class="rows">
            {entries.map((entry) => (
              <Line key={entry.id} entry={entry} />
            ))}
          </ol>
        ))}
      {cursor && (
        <div>
          <Button busy={busy} onClick={load}>
            {t.shell.showMore}
          </Button>
        </div>
      )}
    </section>
  );
}

function Line({ entry }: { entry: AuditEntry }) {
  const text = t.workspace.audit;
  const who = entry.actor?.email ?? (entry.ip ? text.nobody : text.service);
  return (
    <li class="row log">
      <div class="row__main">
        <div>
          <strong>
            <bdi>{who}</bdi>
          </strong>{' '}
          {text.actions[entry.action] ?? entry.action}
        </div>
        {entry.target && entry.target !== who && (
          <div class="log__target">
            <bdi>{entry.target}</bdi>
          </div>
        )}
      </div>
      <div class="log__where row__note">
        <When at={entry.createdAt} />
        <span title={moment(entry.createdAt)}>{entry.ip}</span>
      </div>
    </li>
  );
}
