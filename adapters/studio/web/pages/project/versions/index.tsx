import { useSignalEffect } from '@preact/signals';
import { useMemo, useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Version } from '~/api/types';
import { useCommands } from '~/app/commands';
import { t } from '~/text';
import { Button, Checkbox, complain, Empty, Failure, LinkButton, Skeleton } from '~/ui';
import type { ProjectStore } from '../store';
import { Detail } from './detail';
import { GitDialog } from './git';
import { History } from './history';
import { VersionList } from './list';
import { SavePoint } from './savepoint';

/** VersionsPane shows a project's history and restores versions. */
export default function VersionsPane({ store }: { store: ProjectStore }) {
  const history = useMemo(() => new History(store.id), []);
  const [chosen, setChosen] = useState<Version | null>(null);
  const [git, setGit] = useState(false);
  useSignalEffect(() => {
    void store.versions.value;
    void history.refresh();
    if (history.marked.peek()) void history.showMarked();
  });
  useSignalEffect(() => {
    // Edits become a version automatically after a while.
    void store.files.value;
    if (store.pane.value === 'versions') void history.refresh();
  });
  useSignalEffect(() => {
    const wanted = store.wantedVersion.value;
    if (!wanted) return;
    store.wantedVersion.value = null;
    api.get<Version>(`/projects/${store.id}/versions/${wanted}`).then(setChosen, complain);
  });
  useCommands('versions', [
    {
      name: t.versions.git,
      icon: 'terminal',
      run: () => {
        store.show('versions');
        setGit(true);
      },
    },
  ]);
  const marked = history.marked.value;
  const items = marked ?? history.items.value;
  return (
    <div class={chosen ? 'versions versions--chosen' : 'versions'}>
      <div class="versions__side">
        <div class="versions__head">
          <h2>{t.versions.title}</h2>
          <Button small kind="quiet" icon="terminal" onClick={() => setGit(true)}>
            {t.versions.git}
          </Button>
          <LinkButton small kind="quiet" icon="download" href={`/projects/${store.id}/export`} download>
            {t.versions.export}
          </LinkButton>
        </div>
        {store.canEdit.value && <SavePoint store={store} />}
        <div class="versions__filter">
          <Checkbox
            label={t.versions.onlyMarked}
            checked={marked !== null}
            onChange={({ currentTarget }) => {
              if (currentTarget.checked) void history.showMarked();
              else history.marked.value = null;
            }}
          />
        </div>
        <div class="versions__list">
          {Boolean(history.error.value) && <Failure error={history.error.value} retry={() => void history.refresh()} />}
          {!items && !history.error.value && [1, 2, 3, 4].map((key) => <Skeleton key={key} height={54} />)}
          {items?.length === 0 && (
            <Empty icon={marked ? 'star' : 'history'} title={marked ? t.versions.noneMarked : t.versions.none}>
              {marked ? t.versions.noneMarkedHint : t.versions.noneHint}
            </Empty>
          )}
          {items && (
            <VersionList
              items={items}
              newest={history.items.value?.[0]?.id}
              unsaved={history.unsaved.value}
              chosen={chosen}
              onChoose={setChosen}
            />
          )}
          {!marked && history.more.value && (
            <Button wide busy={history.loading.value} onClick={() => void history.older()}>
              {t.shell.showMore}
            </Button>
          )}
        </div>
      </div>
      <div class="versions__main">
        {chosen ? (
          <Detail
            key={chosen.id}
            store={store}
            version={chosen}
            isNewest={history.items.value?.[0]?.id === chosen.id}
            onBack={() => setChosen(null)}
            onMade={setChosen}
            others={history.items.value ?? []}
            onMarked={(version) => history.put(version)}
          />
        ) : (
          <Empty icon="history" title={t.versions.choose}>
            {t.versions.chooseHint}
          </Empty>
        )}
      </div>
      {git && <GitDialog store={store} onClose={() => setGit(false)} />}
    </div>
  );
}
