import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { Deployment, PreviewLink } from '~/api/types';
import { bytes, moment, t } from '~/text';
import { ask, Button, complain, Skeleton, say, useTask, When } from '~/ui';
import { useNames } from '../names';
import type { ProjectStore } from '../store';
import { firstLine } from '../versions/title';

const few = 6;

/** Deployments lists the deployments and offers a rollback. */
export function Deployments({
  store,
  items,
  onChanged,
}: {
  store: ProjectStore;
  items: Deployment[] | undefined;
  onChanged: () => Promise<void>;
}) {
  const [all, showAll] = useState(false);
  const names = useNames(store.project.value.workspaceId);
  return (
    <section class="page__section" aria-labelledby="deployments">
      <h2 id="deployments">{t.publish.deployments}</h2>
      {!items ? (
        <Skeleton height={52} />
      ) : items.length === 0 ? (
        <p class="soft">{t.publish.deploymentsEmpty}</p>
      ) : (
        <ul class="rows">
          {items.slice(0, all ? undefined : few).map((item) => (
            <Row key={item.id} store={store} item={item} name={names?.get(item.by)} onChanged={onChanged} />
          ))}
        </ul>
      )}
      {items && items.length > few && !all && (
        <div>
          <Button small onClick={() => showAll(true)}>
            {t.shell.showMore}
          </Button>
        </div>
      )}
    </section>
  );
}

function Row({
  store,
  item,
  name,
  onChanged,
}: {
  store: ProjectStore;
  item: Deployment;
  name: string | undefined;
  onChanged: () => Promise<void>;
}) {
  const { busy, run } = useTask({ onError: complain });
  const opening = useTask({ onError: complain });
  const isLive = item.status === 'live';
  const rollBack = async () => {
    if (
      !(await ask({
        title: t.publish.rollBackTitle,
        text: t.publish.rollBackText(moment(item.createdAt)),
        confirm: t.publish.rollBack,
      }))
    )
      return;
    await run(async () => {
      await api.post(`/projects/${store.id}/deployments/${item.id}/rollback`);
      say(t.publish.rolledBack);
      await onChanged();
    });
  };
  // The tab opens at once, since browsers block those that open later.
  const open = () =>
    opening.run(async () => {
      const tab = window.open('about:blank', '_blank');
      try {
        const { url } = await api.post<PreviewLink>(`/projects/${store.id}/deployments/${item.id}/look`);
        if (tab) {
          tab.opener = null;
          tab.location.href = url;
        }
      } catch (error) {
        tab?.close();
        throw error;
      }
    });
  return (
    <li class="row">
      <div class="row__main">
        <div>
          <bdi>{titleOf(item)}</bdi>{' '}
          <span class={isLive ? 'badge badge--good' : 'badge'}>{t.publish.status[item.status]}</span>
        </div>
        <div class="row__note">
          <When at={item.createdAt} /> · <bdi>{item.slug}</bdi> · {bytes(item.bytes)} ·{' '}
          {t.publish.by(name ?? t.publish.somebody)}
        </div>
      </div>
      <Button
        small
        kind="quiet"
        icon="history"
        aria-label={`${t.publish.showVersion}: ${titleOf(item)}`}
        onClick={() => store.showVersion(item.versionId)}
      >
        {t.publish.showVersion}
      </Button>
      <Button small kind="quiet" icon="eye" busy={opening.busy} onClick={() => void open()}>
        {t.publish.look}
      </Button>
      {!isLive && (
        <Button small icon="restore" busy={busy} onClick={() => void rollBack()}>
          {t.publish.rollBack}
        </Button>
      )}
    </li>
  );
}

// titleOf returns the title of the published version.
function titleOf({ title }: Deployment): string {
  return title ? firstLine(title) : t.publish.untitled;
}
