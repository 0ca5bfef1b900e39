import type { FunctionComponent } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';

import { useLoad } from '~/api/load';
import { isDialogOpen, wanted } from '~/app/keys';
import { t } from '~/text';
import { Failure, Loading } from '~/ui';
import { type PaneName, type ProjectStore, paneNames } from './store';

type Pane = FunctionComponent<{ store: ProjectStore }>;

// Each pane loads on first use.
const panes: Record<PaneName, () => Promise<{ default: Pane }>> = {
  preview: () => import('./preview'),
  code: () => import('./code'),
  data: () => import('./data'),
  versions: () => import('./versions'),
  publish: () => import('./publish'),
};

/** Panes shows the current pane. Earlier panes stay mounted and keep their state. */
export function Panes({ store }: { store: ProjectStore }) {
  const begun = useMemo(() => new Set<PaneName>(), []);
  const current = store.pane.value;
  begun.add(current);
  return (
    <div id="pane" class="panes">
      {paneNames
        .filter((name) => begun.has(name))
        .map((name) => (
          <section
            key={name}
            class="pane"
            role={name === 'publish' ? 'region' : 'tabpanel'}
            aria-label={t.project.panes[name]}
            hidden={name !== current}
          >
            <Loaded name={name} store={store} />
          </section>
        ))}
    </div>
  );
}

function Loaded({ name, store }: { name: PaneName; store: ProjectStore }) {
  const { data, error, reload } = useLoad(name, panes[name]);
  useEarlyKeys(
    !!data,
    (event) => name === 'code' && store.pane.peek() === name && wanted(event, name) !== null && !isDialogOpen(),
  );
  if (error)
    return (
      <div class="pane__failed">
        <Failure error={error} retry={reload} />
      </div>
    );
  if (!data) return <Loading />;
  const { default: Pane } = data;
  return <Pane store={store} />;
}

// useEarlyKeys queues keys pressed while a pane loads and replays them. Otherwise the
// browser would handle them.
function useEarlyKeys(there: boolean, isFor: (event: KeyboardEvent) => boolean): void {
  const early = useRef<KeyboardEvent[]>([]);
  const stop = useRef(() => {});
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isFor(event)) return;
      event.preventDefault();
      early.current.push(event);
    };
    addEventListener('keydown', onKey);
    stop.current = () => removeEventListener('keydown', onKey);
    return () => stop.current();
  }, []);
  useEffect(() => {
    if (!there) return;
    stop.current();
    for (const event of early.current.splice(0)) dispatchEvent(new KeyboardEvent('keydown', event));
  }, [there]);
}
