import { useEffect, useRef, useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { BackendCall, Page } from '~/api/types';
import { moment, number, t } from '~/text';
import { Button, Checkbox, complain, Empty, Failure, Icon, IconButton, Loading, useTask } from '~/ui';
import type { DataDesk } from './desk';
import { Head } from './head';

// The polling interval in milliseconds, and the page size.
const every = 4000;
const atOnce = 50;

const kinds = ['', 'request', 'function'] as const;

/** Logs shows requests and function runs, newest first. */
export function Logs({ desk }: { desk: DataDesk }) {
  const [kind, setKind] = useState<(typeof kinds)[number]>('');
  const [failed, setFailed] = useState(false);
  const path = desk.path(`/${desk.env.value}/logs`);
  const query = { limit: atOnce, kind: kind || undefined, failed: failed || undefined };
  const first = useLoad(`${path} ${kind} ${failed}`, (signal) => api.get<Page<BackendCall>>(path, { query, signal }));
  // older are the entries below the first page. While they are shown, polling stops.
  const [older, setOlder] = useState<Page<BackendCall> | null>(null);
  const [open, setOpen] = useState<string | null>(null);
  const { busy, run } = useTask({ onError: complain });
  useEffect(() => {
    setOlder(null);
    setOpen(null);
  }, [path, kind, failed]);
  useRefresh(desk, first.reload, older === null);

  const calls = [...(first.data?.items ?? []), ...(older?.items ?? [])];
  const cursor = older ? older.nextCursor : first.data?.nextCursor;
  const load = () =>
    run(async () => {
      const next = await api.get<Page<BackendCall>>(path, { query: { ...query, cursor } });
      setOlder({ items: [...(older?.items ?? []), ...next.items], nextCursor: next.nextCursor });
    });
  const reload = () => {
    setOlder(null);
    void first.reload();
  };
  const narrow = (next: () => void) => () => {
    setOlder(null);
    next();
  };
  return (
    <section class="logs" aria-labelledby="logs">
      <Head
        desk={desk}
        id="logs"
        title={t.data.logs}
        actions={<IconButton icon="reload" label={t.data.reload} onClick={reload} />}
      />
      <p class="soft logs__hint">{t.data.logsHint}</p>
      <div class="logs__filters">
        <div class="logs__kinds" role="group" aria-label={t.data.logKind}>
          {kinds.map((one) => (
            <Button
              key={one}
              small
              kind={kind === one ? undefined : 'quiet'}
              aria-pressed={kind === one}
              onClick={narrow(() => setKind(one))}
            >
              {t.data.logKinds[one]}
            </Button>
          ))}
        </div>
        <Checkbox label={t.data.logFailed} checked={failed} onChange={narrow(() => setFailed(!failed))} />
      </div>
      {first.error && <Failure error={first.error} retry={reload} />}
      {!first.data && !first.error && <Loading />}
      {first.data && calls.length === 0 && <Nothing desk={desk} isNarrowed={kind !== '' || failed} />}
      {calls.length > 0 && (
        <ol class="rows">
          {calls.map((call) => (
            <Call
              key={call.id}
              call={call}
              isOpen={open === call.id}
              toggle={() => setOpen(open === call.id ? null : call.id)}
            />
          ))}
        </ol>
      )}
      {cursor && (
        <div class="logs__more">
          <Button busy={busy} onClick={load}>
            {t.shell.showMore}
          </Button>
        </div>
      )}
    </section>
  );
}

// useRefresh polls for new entries while the view is visible.
function useRefresh(desk: DataDesk, reload: () => Promise<void>, wanted: boolean): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    if (!wanted) return;
    const timer = setInterval(() => {
      if (!document.hidden && desk.store.pane.peek() === 'data') void latest.current();
    }, every);
    return () => clearInterval(timer);
  }, [wanted]);
}

function Nothing({ desk, isNarrowed }: { desk: DataDesk; isNarrowed: boolean }) {
  if (isNarrowed)
    return (
      <Empty icon="check" title={t.data.noLogsSuch}>
        {t.data.noLogsSuchHint}
      </Empty>
    );
  return (
    <Empty icon="terminal" title={t.data.noLogs}>
      {desk.env.value === 'live' ? t.data.noLogsLiveHint : t.data.noLogsHint}
    </Empty>
  );
}

function Call({ call, isOpen, toggle }: { call: BackendCall; isOpen: boolean; toggle: () => void }) {
  const hasMore = call.error !== '' || call.console.length > 0 || call.omitted > 0;
  const line = (
    <>
      <span class={`call__status ${call.status >= 400 ? 'call__status--failed' : ''}`}>{call.status}</span>
      <span class="call__main">
        <span class="call__path">
          <span class="call__method">{call.method}</span> <bdi>{call.path}</bdi>
        </span>
        <span class="row__note">
          <time dateTime={call.time}>{moment(call.time)}</time> · {t.data.logTook(number(call.ms))}
          {call.user && (
            <>
              {' · '}
              <bdi>{call.user}</bdi>
            </>
          )}
        </span>
        {call.error && !isOpen && <bdi class="call__why">{call.error.split('\n', 1)[0]}</bdi>}
      </span>
    </>
  );
  if (!hasMore) return <li class="call call__head">{line}</li>;
  return (
    <li class="call">
      <button type="button" class="call__head call__head--more" aria-expanded={isOpen} onClick={toggle}>
        {line}
        <Icon name={isOpen ? 'down' : 'next'} />
      </button>
      {isOpen && <More call={call} />}
    </li>
  );
}

// More shows the error of a call and the function's output.
function More({ call }: { call: BackendCall }) {
  return (
    <div class="call__more">
      {call.omitted > 0 && <p class="soft">{t.data.logOmitted(call.omitted)}</p>}
      {call.error && (
        <>
          <h3>{t.data.logError}</h3>
          <pre class="call__text" dir="ltr">
            {call.error}
          </pre>
        </>
      )}
      {call.console.length > 0 && (
        <>
          <h3>{t.data.logConsole}</h3>
          <ol class="call__console">
            {call.console.map(({ level, text }, index) => (
              <li
                key={index}
                class={`call__said call__said--${level === 'error' || level === 'warn' ? level : 'info'}`}
              >
                <span class="call__level">{level}</span>
                <span dir="auto">{text}</span>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}
