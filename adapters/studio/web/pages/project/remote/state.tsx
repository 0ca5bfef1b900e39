import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { ProjectRemote } from '~/api/types';
import { sentence, t } from '~/text';
import { ask, Button, complain, say, useTask, When } from '~/ui';
import { Conflicts } from './conflicts';

interface ConnectionProps {
  path: string;
  remote: ProjectRemote;
  /** isHookShown leaves out how to get another webhook. */
  isHookShown: boolean;
  onReload: () => Promise<void>;
  onChange: () => void;
  onTasks: () => void;
}

const looks: Record<ProjectRemote['state'], string> = {
  new: 'badge badge--accent',
  synced: 'badge badge--good',
  waiting: 'badge badge--accent',
  conflict: 'badge badge--warning',
  denied: 'badge badge--danger',
  no_branch: 'badge badge--danger',
  unsuitable: 'badge badge--danger',
  rejected: 'badge badge--danger',
  owner_gone: 'badge badge--danger',
  failed: 'badge badge--danger',
};

/** detailed are the states whose cause only the service and the host know. */
const detailed = new Set<ProjectRemote['state']>(['waiting', 'unsuitable', 'rejected', 'failed']);

/** Connection shows how a project and its branch stand to each other, and what can be done. */
export function Connection({ path, remote, isHookShown, onReload, onChange, onTasks }: ConnectionProps) {
  const { busy, run } = useTask({ onError: complain });
  // Until the time of the next exchange moves, the one that was asked for goes on.
  const [asked, setAsked] = useState<string | null>(null);
  const isSyncing = remote.state === 'new' || asked === remote.nextAt;
  const sync = () =>
    run(async () => {
      const { nextAt } = await api.post<ProjectRemote>(`${path}/sync`);
      setAsked(nextAt);
      await onReload();
    });
  const disconnect = async () => {
    const sure = await ask({
      title: t.remote.disconnectTitle,
      text: t.remote.disconnectText,
      confirm: t.remote.disconnect,
      danger: true,
    });
    if (!sure) return;
    await run(async () => {
      await api.delete(path);
      say(t.remote.disconnected);
      await onReload();
    });
  };
  return (
    <>
      <div class="remote__where">
        <bdi class="remote__url">{remote.url}</bdi>
        {remote.branch && (
          <span>
            {t.remote.branch}{' '}
            <code>
              <bdi>{remote.branch}</bdi>
            </code>
          </span>
        )}
      </div>
      <section aria-label={t.remote.state} class="remote__state">
        <p>
          <span class={looks[remote.state]}>{t.remote.badges[remote.state]}</span> {t.remote.states[remote.state]}
        </p>
        {remote.problem && detailed.has(remote.state) && (
          <p class="soft small">
            <bdi>{sentence(remote.problem)}</bdi>
          </p>
        )}
        <p class="soft small" role="status">
          {isSyncing ? (
            t.remote.syncing
          ) : remote.syncedAt ? (
            <>
              {t.remote.lastSync} <When at={remote.syncedAt} />
            </>
          ) : (
            t.remote.never
          )}
        </p>
      </section>
      {remote.state === 'conflict' && <Conflicts path={path} remote={remote} onReload={onReload} onTasks={onTasks} />}
      {!isHookShown && <p class="faint small">{t.remote.hookAgain}</p>}
      <div class="dialog__actions">
        <Button kind="danger" disabled={busy} onClick={() => void disconnect()}>
          {t.remote.disconnect}
        </Button>
        <Button icon="edit" disabled={busy} onClick={onChange}>
          {t.remote.change}
        </Button>
        <Button kind="primary" icon="reload" busy={busy} onClick={() => void sync()}>
          {t.remote.sync}
        </Button>
      </div>
    </>
  );
}
