import { useSignalEffect } from '@preact/signals';
import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Check, CheckResult } from '~/api/types';
import { t } from '~/text';
import { ask, Banner, Button, Failure, IconButton, say, useTask, When } from '~/ui';
import type { ProjectStore } from '../store';

interface Listing {
  items: Check[];
  unavailable?: string;
}

/** Checks lists the project's checks, and plays them. */
export function Checks({ store }: { store: ProjectStore }) {
  const { data, error, reload } = useLoad(`checks of ${store.id}`, (signal) =>
    api.get<Listing>(`/projects/${store.id}/checks`, { signal }),
  );
  const task = useTask();
  // playing is the name of the check that is being played; '' means all.
  const [playing, setPlaying] = useState<string | null>(null);
  const [outcome, setOutcome] = useState('');
  useSignalEffect(() => {
    // Runs of the agent change files and make versions.
    void store.files.value;
    void store.versions.value;
    void reload();
  });
  const play = async (name: string) => {
    setPlaying(name);
    setOutcome('');
    await task.run(async () => {
      const { items } = await api.post<{ items: CheckResult[] }>(
        `/projects/${store.id}/checks/run`,
        name ? { names: [name] } : {},
      );
      setOutcome(t.checks.played(items.filter(({ passed }) => passed).length, items.length));
      await reload();
    });
    setPlaying(null);
  };
  const remove = async (check: Check) => {
    const title = check.title || check.name;
    const sure = await ask({
      title: t.checks.deleteTitle,
      text: t.checks.deleteText(title),
      confirm: t.shell.delete,
      danger: true,
    });
    if (!sure) return;
    await task.run(async () => {
      await api.delete(`/projects/${store.id}/files/${check.path.split('/').map(encodeURIComponent).join('/')}`);
      say(t.checks.deleted);
      store.filesChanged();
      await reload();
    });
  };
  const items = data?.items;
  return (
    <section class="page__section checks" aria-labelledby="checks">
      <div class="checks__head">
        <h2 id="checks">{t.checks.title}</h2>
        {items && items.length > 0 && !data?.unavailable && (
          <Button small icon="play" busy={playing === ''} disabled={task.busy} onClick={() => void play('')}>
            {t.checks.playAll}
          </Button>
        )}
      </div>
      <p class="soft small">{items?.length === 0 ? t.checks.noneHint : t.checks.hint}</p>
      {data?.unavailable && <Banner>{t.checks.unavailable}</Banner>}
      {task.error !== undefined && <Failure error={task.error} />}
      {error && <Failure error={error} retry={() => void reload()} />}
      <p class="small soft" role="status">
        {playing === null ? outcome : t.checks.playing}
      </p>
      {items && items.length > 0 && (
        <ul class="rows">
          {items.map((check) => (
            <Row
              key={check.name}
              check={check}
              busy={playing === check.name}
              disabled={task.busy}
              playable={!data?.unavailable && !check.problem}
              onPlay={() => void play(check.name)}
              onEdit={() =>
                store.openFile({ path: check.path, line: check.problem?.line ?? 1, column: check.problem?.column ?? 1 })
              }
              onDelete={() => void remove(check)}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

interface RowProps {
  check: Check;
  busy: boolean;
  disabled: boolean;
  playable: boolean;
  onPlay: () => void;
  onEdit: () => void;
  onDelete: () => void;
}

function Row({ check, busy, disabled, playable, onPlay, onEdit, onDelete }: RowProps) {
  const title = check.title || check.name;
  const failed = check.lastResult === 'failed' && !check.problem;
  return (
    <li class="row check">
      <div class="row__main">
        <div>
          <bdi>{title}</bdi> <Result check={check} />
        </div>
        <div class="row__note">
          {check.problem ? (
            <>
              {t.checks.line(check.problem.line)}: <bdi>{check.problem.message}</bdi>
            </>
          ) : (
            check.at && <When at={check.at} />
          )}
          {failed && (
            <p class="check__why">
              {check.step !== undefined && <>{t.checks.step(check.step)}: </>}
              <bdi>{check.message}</bdi>
            </p>
          )}
        </div>
        {failed && check.picture && (
          <details class="check__picture">
            <summary>{t.checks.picture}</summary>
            <img src={check.picture} alt={t.checks.pictureOf(title)} loading="lazy" />
          </details>
        )}
      </div>
      {playable && (
        <Button small icon="play" busy={busy} disabled={disabled} aria-label={t.checks.playOne(title)} onClick={onPlay}>
          {t.checks.play}
        </Button>
      )}
      <IconButton icon="edit" label={t.checks.editOne(title)} onClick={onEdit} />
      <IconButton icon="trash" label={t.checks.deleteOne(title)} disabled={disabled} onClick={onDelete} />
    </li>
  );
}

function Result({ check }: { check: Check }) {
  if (check.problem) return <span class="badge badge--warning">{t.checks.wrong}</span>;
  const kind = { passed: 'badge badge--good', failed: 'badge badge--danger', never: 'badge' }[check.lastResult];
  return <span class={kind}>{t.checks.results[check.lastResult]}</span>;
}
