import { useEffect } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Backups as Overview } from '~/api/types';
import { bytes, moment, sentence, t } from '~/text';
import { Button, complain, Failure, Skeleton, say, useTask } from '~/ui';

// How often the page asks while a backup is being made, in milliseconds.
const pace = 2000;

/** Backups lists the backups of the installation, and makes one. */
export function Backups() {
  const { data, error, loading, reload } = useLoad('backups', (signal) =>
    api.get<Overview>('/admin/backups', { signal }),
  );
  const { busy, run } = useTask({ onError: complain });
  const text = t.admin.backups;
  const active = data?.last != null && data.last.endedAt === null;
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(() => void reload(), pace);
    return () => clearInterval(timer);
  }, [active, reload]);
  const begin = () =>
    run(async () => {
      await api.post('/admin/backups');
      say(text.begun);
      await reload();
    });
  return (
    <section class="page__section" aria-label={t.admin.sections.backups}>
      {error && <Failure error={error} retry={reload} />}
      {!data && loading && <Skeleton height={180} />}
      {data?.target === '' && <p class="soft">{text.off}</p>}
      {data && data.target !== '' && (
        <>
          <p class="soft">
            {text.place} <code>{data.target}</code>. {data.encrypted ? text.encrypted : text.plain}{' '}
            {text.kept(data.keep)}
          </p>
          <p aria-live="polite">
            <Last overview={data} />
          </p>
          <div>
            <Button kind="primary" busy={busy || active} onClick={() => void begin()}>
              {text.now}
            </Button>
          </div>
          {data.items.length === 0 ? (
            <p class="faint small">{text.none}</p>
          ) : (
            <ul class="rows">
              {data.items.map((backup) => (
                <li key={backup.name} class="row">
                  <div class="row__main">
                    <div>{moment(backup.createdAt)}</div>
                    <div class="row__note">
                      <code>{backup.name}</code> · {bytes(backup.bytes)}
                    </div>
                  </div>
                  <span class={backup.verified ? 'badge badge--good' : 'badge badge--warning'}>
                    {backup.verified ? text.verified : text.unverified}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  );
}

/** Last says how the latest try went, and when the next is due. */
function Last({ overview }: { overview: Overview }) {
  const text = t.admin.backups;
  const { last, nextAt } = overview;
  const next = nextAt ? text.next(moment(nextAt)) : text.unscheduled;
  if (!last) return next;
  if (last.endedAt === null) return text.active(moment(last.startedAt));
  if (last.failure === '') return `${text.last(moment(last.startedAt))} ${next}`;
  return (
    <>
      <span class="badge badge--danger">{t.admin.health.failed}</span> {text.lastFailed(moment(last.endedAt))}{' '}
      <span lang={last.failureLanguage}>{sentence(last.failure)}</span> {next}
    </>
  );
}
