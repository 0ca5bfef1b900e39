import { useSignalEffect } from '@preact/signals';
import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { DataSnapshot } from '~/api/types';
import { bytes, moment, t } from '~/text';
import {
  ask,
  Banner,
  Button,
  Empty,
  Failure,
  Icon,
  IconButton,
  type IconName,
  inWords,
  Loading,
  say,
  useTask,
  When,
} from '~/ui';
import { useNames } from '../names';
import type { DataDesk } from './desk';
import { Head } from './head';
import { Tip } from './tips';

/**
 * Snapshots lists, creates and restores snapshots of the shown data. Snapshots of live data
 * are for admins only.
 */
export function Snapshots({ desk }: { desk: DataDesk }) {
  return (
    <section class="tool" aria-labelledby="snapshots">
      {desk.canChange.value ? (
        <List desk={desk} />
      ) : (
        <>
          <Head desk={desk} id="snapshots" title={t.data.snapshots} />
          <Empty icon="lock" title={t.data.snapshotsLocked}>
            {t.data.snapshotsLockedHint}
          </Empty>
        </>
      )}
    </section>
  );
}

function List({ desk }: { desk: DataDesk }) {
  const env = desk.env.value;
  const { data, error, reload } = useLoad(env, (signal) =>
    api.get<{ items: DataSnapshot[] }>(desk.path(`/${env}/snapshots`), { signal }),
  );
  const names = useNames(desk.store.project.value.workspaceId);
  const making = useTask();
  const going = useTask();
  // While one snapshot is being restored, the others are disabled.
  const [target, setTarget] = useState<string | null>(null);
  useSignalEffect(() => {
    if (desk.changes.value > 0) void reload();
  });
  const make = () =>
    making.run(async () => {
      await api.post(desk.path(`/${env}/snapshots`));
      say(t.data.snapshotMade);
      await reload();
    });
  const restore = async (one: DataSnapshot) => {
    const sure = await ask({
      title: t.data.restoreTitle,
      text: <Restoring env={env} at={moment(one.createdAt)} />,
      confirm: t.data.restore,
      danger: env === 'live',
    });
    if (!sure) return;
    setTarget(one.id);
    await going.run(async () => {
      await api.post(desk.path(`/${env}/snapshots/${one.id}/restore`));
      say(t.data.restored(moment(one.createdAt)));
      await Promise.all([reload(), desk.reload()]);
    });
    setTarget(null);
  };
  const remove = async (one: DataSnapshot) => {
    const sure = await ask({
      title: t.data.snapshotDeleteTitle,
      text: t.data.snapshotDeleteText(moment(one.createdAt)),
      confirm: t.shell.delete,
      danger: true,
    });
    if (!sure) return;
    await going.run(async () => {
      await api.delete(desk.path(`/${env}/snapshots/${one.id}`));
      say(t.data.snapshotDeleted);
      await reload();
    });
  };
  const items = data?.items;
  const problem = making.error ?? going.error;
  return (
    <>
      <Head
        desk={desk}
        id="snapshots"
        title={t.data.snapshots}
        actions={
          <>
            <IconButton icon="reload" label={t.data.reload} onClick={() => void reload()} />
            <Button icon="add" busy={making.busy} disabled={going.busy} onClick={() => void make()}>
              {t.data.makeSnapshot}
            </Button>
          </>
        }
      >
        {env === 'live' && <span class="badge badge--warning">{t.data.envs.live}</span>}
      </Head>
      <p class="soft tool__hint">{t.data.snapshotsHint[env]}</p>
      <Tip name="snapshot" />
      {problem !== undefined && (
        <div class="tool__note">
          <Banner kind="error">{refused(problem)}</Banner>
        </div>
      )}
      {error && (
        <div class="tool__note">
          <Failure error={error} retry={() => void reload()} />
        </div>
      )}
      {!items && !error && <Loading />}
      {items?.length === 0 && (
        <Empty icon="history" title={t.data.noSnapshots}>
          {t.data.noSnapshotsHint[env]}
        </Empty>
      )}
      {items && items.length > 0 && (
        <ul class="rows tool__rows">
          {items.map((one) => (
            <Row
              key={one.id}
              one={one}
              env={env}
              name={one.by ? (names?.get(one.by) ?? t.publish.somebody) : null}
              busy={target === one.id}
              disabled={going.busy}
              onRestore={() => void restore(one)}
              onDelete={() => void remove(one)}
            />
          ))}
        </ul>
      )}
    </>
  );
}

// Restoring explains the effect of restoring a snapshot.
function Restoring({ env, at }: { env: 'test' | 'live'; at: string }) {
  return (
    <>
      {t.data.restoreText[env](at)} <strong>{t.data.restoreFirst}</strong>
    </>
  );
}

// refused returns the reason for a failure in the user's language; the service's messages
// are English.
function refused(error: unknown): string {
  if (!(error instanceof ApiError)) return inWords(error);
  if (error.code === 'conflict') return t.data.tooManySnapshots;
  if (error.code === 'not_found') return t.data.snapshotGone;
  return inWords(error);
}

const icons: Record<DataSnapshot['reason'], IconName> = {
  manual: 'user',
  publish: 'publish',
  restore: 'restore',
  scheduled: 'clock',
};

interface RowProps {
  one: DataSnapshot;
  env: 'test' | 'live';
  /** name is the creator's name, null for the service's own snapshots. */
  name: string | null;
  busy: boolean;
  disabled: boolean;
  onRestore: () => void;
  onDelete: () => void;
}

// reasonOf is why a snapshot was made. Only live data are copied every day.
function reasonOf({ reason }: DataSnapshot, env: 'test' | 'live'): string {
  if (env === 'test' && reason === 'scheduled') return t.data.beforeSchema;
  return t.data.snapshotReasons[reason] ?? reason;
}

function Row({ one, env, name, busy, disabled, onRestore, onDelete }: RowProps) {
  const at = moment(one.createdAt);
  return (
    <li class="row snapshot">
      <Icon name={icons[one.reason] ?? 'history'} />
      <div class="row__main">
        <div>{reasonOf(one, env)}</div>
        <div class="row__note">
          <When at={one.createdAt} /> · {name === null ? t.data.byItself : t.publish.by(name)} · {bytes(one.bytes)}
          {one.reason !== 'manual' && <> · {t.data.keptFor[one.reason]}</>}
        </div>
      </div>
      <Button
        small
        icon="restore"
        busy={busy}
        disabled={disabled}
        aria-label={`${t.data.restore}: ${at}`}
        onClick={onRestore}
      >
        {t.data.restore}
      </Button>
      <IconButton
        small
        kind="danger"
        icon="trash"
        label={`${t.data.snapshotDelete}: ${at}`}
        disabled={disabled}
        onClick={onDelete}
      />
    </li>
  );
}
