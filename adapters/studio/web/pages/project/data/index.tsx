import { useComputed, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';

import { t } from '~/text';
import { Banner, Button, Empty, Failure, Loading } from '~/ui';
import { DiagnosticList } from '../preview/problems';
import type { ProjectStore } from '../store';
import { DataDesk } from './desk';
import { functionsOf } from './functions';
import { NoData } from './nodata';
import { Pending } from './pending';
import { Records } from './records-view';
import { Side } from './side';
import { sourcesOf } from './sources';
import { Terms } from './terms';
import { toolsOf } from './tools';

export default function Pane({ store }: { store: ProjectStore }) {
  if (!store.canEdit.value) {
    return (
      <div class="data__message">
        <Banner>{t.data.readers}</Banner>
      </div>
    );
  }
  return <Data store={store} />;
}

function Data({ store }: { store: ProjectStore }) {
  const desk = useMemo(() => new DataDesk(store), []);
  useNews(desk);
  const backend = desk.backend.value;
  const error = desk.error.value;
  if (error && !backend)
    return (
      <div class="data__message">
        <Failure error={error} retry={() => void desk.reload()} />
      </div>
    );
  if (!backend) return <Loading />;
  const { test, live } = backend.environments;
  const hasData = backend.enabled || test !== null || live !== null;
  if (!hasData && functionsOf(store.files.value).length === 0) return <NoData store={store} />;
  const view = desk.view.value;
  const isLive = desk.env.value === 'live';
  const isMissing = isLive && !live;
  return (
    <div class={`data ${isLive ? 'data--live' : ''} ${view || isMissing ? 'data--chosen' : ''}`}>
      <Notes desk={desk} />
      <div class="data__parts">
        <Side desk={desk} />
        <div class="data__main">
          <Shown desk={desk} />
        </div>
      </div>
      {desk.explaining.value && (
        <Terms
          onClose={() => {
            desk.explaining.value = false;
          }}
        />
      )}
    </div>
  );
}

// Shown renders the current view.
function Shown({ desk }: { desk: DataDesk }) {
  const view = desk.view.value;
  const env = desk.env.value;
  const tool = toolsOf(env).find(({ name }) => name === view?.kind);
  if (env === 'live' && !desk.environment.value && !tool?.withoutData) return <NotLive desk={desk} />;
  if (view?.kind === 'records') return <Records key={`${env} ${view.collection}`} desk={desk} name={view.collection} />;
  if (tool) return <tool.Page key={env} desk={desk} />;
  return (
    <Empty icon="database" title={t.data.choose}>
      {t.data.chooseHint}
    </Empty>
  );
}

/** useNews reloads the state when the pane is shown and after possible changes. */
function useNews(desk: DataDesk): void {
  useEffect(() => () => desk.stop(), []);
  const declared = useComputed(() => sourcesOf(desk.store.files.value));
  useSignalEffect(() => {
    void declared.value;
    if (desk.store.pane.value === 'data') void desk.reload();
  });
  useSignalEffect(() => {
    const known = desk.store.data[desk.env.value].value;
    if (known > 0 && desk.store.pane.peek() === 'data') void desk.follow();
  });
  useEffect(() => {
    // The connection may have been lost while the window was hidden.
    const look = () => {
      if (!document.hidden && desk.store.pane.peek() === 'data') void desk.reload();
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  useSignalEffect(() => {
    // On wide screens, open the first collection.
    const first = desk.collections.value[0];
    if (!desk.view.value && first && isWide()) desk.view.value = { kind: 'records', collection: first.name };
  });
}

const isWide = () => matchMedia('(min-width: 1001px)').matches;

// Notes shows errors, schema changes that need consent, and a notice for live data.
function Notes({ desk }: { desk: DataDesk }) {
  const { enabled, environments, ...backend } = desk.backend.value!;
  const pending = environments.test?.pending;
  const losing = pending?.steps.filter(({ loses }) => loses) ?? [];
  // The build also reports a pending plan, which is shown separately below.
  const diagnostics = backend.diagnostics.filter(({ message }) => !losing.some(({ text }) => message.includes(text)));
  const problem = desk.error.value;
  const fix = () =>
    desk.store.ask(
      t.data.fixText(diagnostics.map(({ path, line, message }) => `- ${path}:${line} ${message}`).join('\n')),
    );
  const isLive = desk.env.value === 'live';
  return (
    <>
      {isLive && environments.live && (
        <p class="data__live" role="status">
          <strong>{t.data.live}</strong> {desk.canChange.value ? t.data.liveHint : t.data.liveReadOnly}
        </p>
      )}
      <div class="data__notes">
        {Boolean(problem) && <Failure error={problem} retry={() => void desk.reload()} />}
        {!enabled && (environments.test || environments.live) && <Banner kind="warning">{t.data.noSchema}</Banner>}
        {diagnostics.length > 0 && (
          <Banner
            kind="error"
            actions={
              <Button small icon="bolt" onClick={fix}>
                {t.preview.fix}
              </Button>
            }
          >
            <p>{t.data.broken}</p>
            <DiagnosticList store={desk.store} diagnostics={diagnostics} />
          </Banner>
        )}
        {pending && !isLive && <Pending key={pending.id} desk={desk} plan={pending} />}
      </div>
    </>
  );
}

function NotLive({ desk }: { desk: DataDesk }) {
  const back = () => {
    desk.env.value = 'test';
  };
  return (
    <Empty
      icon="publish"
      title={t.data.notLive}
      actions={
        <>
          <Button onClick={back}>{t.data.toTest}</Button>
          <Button kind="primary" icon="publish" onClick={() => desk.store.show('publish')}>
            {t.project.panes.publish}
          </Button>
        </>
      }
    >
      {t.data.notLiveHint}
    </Empty>
  );
}
