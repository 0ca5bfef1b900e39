import SquareFunction from 'lucide/dist/esm/icons/square-function.mjs';
import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { BackendFunction } from '~/api/types';
import { moment, t } from '~/text';
import { Button, Copyable, Empty, Icon } from '~/ui';
import type { DataDesk } from './desk';
import { type FunctionFile, functionsOf, read } from './functions';
import { Head } from './head';
import { Trial } from './trial';

/** Functions lists the project's functions and offers test calls. */
export function Functions({ desk }: { desk: DataDesk }) {
  const { store } = desk;
  const [tried, setTried] = useState<FunctionFile | null>(null);
  const env = desk.env.value;
  const found = functionsOf(store.files.value);
  const schedules = useSchedules(desk, found);
  const site = store.project.value.url?.replace(/\/$/, '') ?? '';
  return (
    <section class="tool" aria-labelledby="functions">
      <Head desk={desk} id="functions" title={t.data.functions}>
        {env === 'live' && <span class="badge badge--warning">{t.data.envs.live}</span>}
      </Head>
      {found.length === 0 ? (
        <Empty
          icon={SquareFunction}
          title={t.data.noFunctions}
          actions={
            <Button icon="chat" onClick={() => store.compose(t.data.functionWish)}>
              {t.data.askAgent}
            </Button>
          }
        >
          {t.data.noFunctionsHint}
        </Empty>
      ) : (
        <>
          <p class="soft tool__hint">{t.data.functionsHint[env]}</p>
          <ul class="rows tool__rows">
            {found.map((one) => (
              <li key={one.path} class="row function">
                <div class="row__main">
                  <div class="function__name">
                    <Icon name={SquareFunction} />
                    <bdi>{one.name}</bdi>
                    <When answering={schedules?.get(one.name)} />
                  </div>
                  <Copyable
                    value={`${env === 'live' ? site : ''}/_fn/${one.name}`}
                    label={t.data.addressOf(one.name)}
                  />
                </div>
                <div class="function__actions">
                  <Button
                    small
                    icon="code"
                    aria-label={`${t.data.openFile}: ${one.path}`}
                    onClick={() => store.openFile({ path: one.path })}
                  >
                    {t.data.openFile}
                  </Button>
                  {env === 'test' && (
                    <Button small icon="play" aria-label={`${t.data.try}: ${one.name}`} onClick={() => setTried(one)}>
                      {t.data.try}
                    </Button>
                  )}
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
      {tried && <Trial desk={desk} name={tried.name} onClose={() => setTried(null)} />}
    </section>
  );
}

// When shows the schedule of a function, if it has one.
function When({ answering }: { answering: BackendFunction | undefined }) {
  if (!answering?.schedule) return null;
  const next = answering.nextAt ? ` ${t.data.nextRun(moment(answering.nextAt))}` : '';
  return (
    <span class="badge" title={t.data.scheduleHint + next}>
      <Icon name="clock" size={12} />
      {inWords(answering.schedule)}
    </span>
  );
}

// useSchedules reads the functions of the shown environment, by their names.
function useSchedules(desk: DataDesk, found: FunctionFile[]): Map<string, BackendFunction> | undefined {
  const env = desk.env.value;
  const key = [env, desk.store.project.value.publishedAt, ...found.map(({ path, etag }) => `${path} ${etag}`)].join(
    '\n',
  );
  const { data } = useLoad(key, async (signal) => {
    if (found.length === 0) return new Map();
    const { items } = await api.get<{ items: BackendFunction[] }>(desk.path(`/${env}/functions`), { signal });
    return new Map(items.map((one) => [one.name, one]));
  });
  return data;
}

// inWords describes a schedule. It returns unusual ones unchanged.
function inWords(schedule: string): string {
  const when = read(schedule);
  return when ? t.data.schedule(when) : schedule;
}
