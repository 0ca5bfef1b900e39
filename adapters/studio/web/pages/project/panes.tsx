import type { FunctionComponent } from 'preact';
import { useMemo } from 'preact/hooks';

import { useLoad } from '~/api/load';
import { t } from '~/text';
import { Failure, Loading } from '~/ui';
import { type PaneName, paneNames, type ProjectStore } from './store';

type Pane = FunctionComponent<{ store: ProjectStore }>;

// Each pane is loaded when it is first shown.
const panes: Record<PaneName, () => Promise<{ default: Pane }>> = {
  preview: () => import('./preview'),
  code: () => import('./code'),
  versions: () => import('./versions'),
  publish: () => import('./publish'),
};

/** Panes shows the chosen pane. Those that were shown before stay, with their state. */
export function Panes({ store }: { store: ProjectStore }) {
  const begun = useMemo(() => new Set<PaneName>(), []);
  const current = store.pane.value;
  begun.add(current);
  return (
    <div id="pane" class="panes">
      {paneNames.filter((name) => begun.has(name)).map((name) => (
        <section key={name} class="pane" role={name === 'publish' ? 'region' : 'tabpanel'} aria-label={t.project.panes[name]} hidden={name !== current}>
          <Loaded name={name} store={store} />
        </section>
      ))}
    </div>
  );
}

function Loaded({ name, store }: { name: PaneName; store: ProjectStore }) {
  const { data, error, reload } = useLoad(name, panes[name]);
  if (error) return <div class="pane__failed"><Failure error={error} retry={reload} /></div>;
  if (!data) return <Loading />;
  const { default: Pane } = data;
  return <Pane store={store} />;
}
