import { useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Task } from '~/api/types';
import { t } from '~/text';
import { ask, Button, Dialog, Failure, IconButton, LinkButton, Skeleton, say, useTask } from '~/ui';
import type { ProjectStore } from '../store';
import { Begin } from './begin';

/** TaskBoard shows the project's tasks, each at work on a copy, and begins, merges and discards them. */
export function TaskBoard({ store, onClose }: { store: ProjectStore; onClose: () => void }) {
  const path = `/projects/${store.id}/tasks`;
  const { data, error, reload } = useLoad(path, (signal) => api.get<{ items: Task[] }>(path, { signal }));
  useSignalEffect(() => {
    void store.tasks.value;
    void reload();
  });
  const items = data?.items;
  // What the agent does is not announced step by step.
  const moves = items?.some(({ status, checks }) => moving.has(status) || checks.state === 'pending');
  useEffect(() => {
    if (!moves) return;
    const timer = setInterval(() => void reload(), 3000);
    return () => clearInterval(timer);
  }, [moves]);
  return (
    <Dialog title={t.tasks.title} wide onClose={onClose}>
      <p class="soft small">{t.tasks.hint}</p>
      <Begin store={store} path={path} onBegun={reload} />
      {error && <Failure error={error} retry={() => void reload()} />}
      {!items && !error && <Skeleton height={54} />}
      {items?.length === 0 && <p class="soft">{t.tasks.none}</p>}
      {items && items.length > 0 && (
        <ul class="rows" aria-label={t.tasks.title}>
          {items.map((task) => (
            <Row
              key={task.id}
              task={task}
              path={`${path}/${task.id}`}
              onChange={reload}
              onVersion={(id) => {
                store.showVersion(id);
                onClose();
              }}
            />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

const moving = new Set<Task['status']>(['working', 'merging']);

interface RowProps {
  task: Task;
  path: string;
  onChange: () => Promise<void>;
  onVersion: (id: string) => void;
}

function Row({ task, path, onChange, onVersion }: RowProps) {
  const { busy, error, run } = useTask();
  const send = (step: string, body: object, done: string) =>
    void run(async () => {
      try {
        await api.post(`${path}/${step}`, body);
        say(done);
      } finally {
        await onChange();
      }
    });
  const discard = async () => {
    const merged = task.status === 'merged';
    const sure =
      merged ||
      (await ask({
        title: t.tasks.discardTitle,
        text: t.tasks.discardText(task.title),
        confirm: t.tasks.discard,
        danger: true,
      }));
    if (!sure) return;
    await run(async () => {
      await api.delete(path);
      await onChange();
    });
  };
  const settled = settledIn.has(task.status);
  const held = task.status === 'checks_failed';
  // A conflict is on the board already, and so are the checks.
  const shown = held || task.status === 'conflict' ? undefined : error;
  return (
    <li class="row task">
      <div class="row__main">
        <div>
          <bdi>{task.title}</bdi> <span class={badges[task.status]}>{t.tasks.statuses[task.status]}</span>
        </div>
        <About task={task} />
        {shown !== undefined && <Failure error={shown} />}
      </div>
      <div class="task__actions">
        {task.copyId && task.status !== 'merged' && (
          <LinkButton small icon="eye" href={`/projects/${task.copyId}`}>
            {t.tasks.open}
          </LinkButton>
        )}
        {settled && (
          <Button small icon="check" busy={busy} onClick={() => send('merge', {}, t.tasks.merged)}>
            {held ? t.tasks.mergeAgain : t.tasks.merge}
          </Button>
        )}
        {held && (
          <>
            <Button small icon="bolt" busy={busy} onClick={() => send('resolve', { by: 'agent' }, t.tasks.mending)}>
              {t.tasks.mend}
            </Button>
            <Button
              small
              kind="danger"
              busy={busy}
              onClick={() => send('merge', { ignoreChecks: true }, t.tasks.merged)}
            >
              {t.tasks.mergeAnyway}
            </Button>
          </>
        )}
        {task.status === 'conflict' && (
          <>
            <Button small icon="bolt" busy={busy} onClick={() => send('resolve', { by: 'agent' }, t.tasks.asked)}>
              {t.tasks.byAgent}
            </Button>
            <Button small icon="edit" busy={busy} onClick={() => send('resolve', { by: 'person' }, t.tasks.marked)}>
              {t.tasks.byPerson}
            </Button>
          </>
        )}
        {task.versionId && (
          <Button small icon="history" onClick={() => onVersion(task.versionId!)}>
            {t.tasks.version}
          </Button>
        )}
        {task.status !== 'merging' && (
          <IconButton
            icon={task.status === 'merged' ? 'close' : 'trash'}
            label={(task.status === 'merged' ? t.tasks.dismissOne : t.tasks.discardOne)(task.title)}
            disabled={busy}
            onClick={() => void discard()}
          />
        )}
      </div>
    </li>
  );
}

const settledIn = new Set<Task['status']>(['ready', 'failed', 'conflict', 'checks_failed']);

const badges: Record<Task['status'], string> = {
  working: 'badge badge--accent',
  merging: 'badge badge--accent',
  ready: 'badge badge--good',
  merged: 'badge badge--good',
  conflict: 'badge badge--warning',
  checks_failed: 'badge badge--warning',
  failed: 'badge badge--danger',
};

// About says what the agent does, what conflicts, and what became of the checks.
function About({ task }: { task: Task }) {
  const { progress, problem, conflicts, checks } = task;
  return (
    <div class="row__note">
      {progress && task.status !== 'merged' && (
        <p class="task__line">
          <bdi>{progress}</bdi>
        </p>
      )}
      {problem && (
        <p class="task__line">
          <bdi>{problem}</bdi>
        </p>
      )}
      {conflicts.length > 0 && (
        <>
          <p>{t.tasks.conflicts}</p>
          <ul class="task__files">
            {conflicts.map(({ path, message }) => (
              <li key={path}>
                <code>{path}</code> <bdi>{message}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      {checks.state !== '' && (
        <p>{task.status === 'merged' || checks.state !== 'failed' ? t.tasks.checks[checks.state] : t.tasks.held}</p>
      )}
      {checks.failed && (
        <ul class="task__files">
          {checks.failed.map(({ name, title, message, passedBefore }) => (
            <li key={name}>
              <bdi>{title || name}</bdi>
              {passedBefore && ` (${t.tasks.passedBefore})`}: <bdi>{message}</bdi>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
