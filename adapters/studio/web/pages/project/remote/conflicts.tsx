import { useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { ProjectRemote, RemoteConflict } from '~/api/types';
import { t } from '~/text';
import { Banner, Button, Failure, Select, Skeleton, say, TextArea, useTask } from '~/ui';

type Take = '' | 'ours' | 'theirs' | 'text';

interface ConflictsProps {
  path: string;
  remote: ProjectRemote;
  onReload: () => Promise<void>;
  onTasks: () => void;
}

/** Conflicts settles the files that both sides changed, each by a person or all by the agent. */
export function Conflicts({ path, remote, onReload, onTasks }: ConflictsProps) {
  const seen = remote.conflicts.map(({ path }) => path).join('\n');
  const { data, error, reload } = useLoad(`${path} ${seen}`, (signal) =>
    api.get<{ items: RemoteConflict[] }>(`${path}/conflicts`, { signal }),
  );
  const [takes, setTakes] = useState<Record<string, Take>>({});
  const [texts, setTexts] = useState<Record<string, string>>({});
  const task = useTask();
  if (remote.taskId) {
    return (
      <Banner
        actions={
          <Button small icon="list" onClick={onTasks}>
            {t.remote.showTasks}
          </Button>
        }
      >
        {t.remote.inTask}
      </Banner>
    );
  }
  const items = data?.items;
  // The id of a conflict changes with its contents, so a choice never outlives what was seen.
  const textOf = ({ id, merged }: RemoteConflict) => texts[id] ?? merged ?? '';
  const isSettled =
    items?.every((item) => takes[item.id] && !(takes[item.id] === 'text' && isMarked(textOf(item)))) ?? false;
  const send = (body: object, done: string) =>
    task.run(async () => {
      try {
        await api.post(`${path}/resolve`, body);
        say(done);
      } finally {
        await Promise.all([onReload(), reload()]);
      }
    });
  const settle = () => {
    const files = (items ?? []).map((item) => {
      const { path, id } = item;
      const take = takes[id];
      return take === 'text' ? { path, id, take, text: textOf(item) } : { path, id, take };
    });
    void send({ files }, t.remote.resolved);
  };
  return (
    <section class="remote__conflicts" aria-labelledby="remote-conflicts">
      <h3 id="remote-conflicts">{t.remote.conflicts(remote.conflicts.length)}</h3>
      {error && <Failure error={error} retry={() => void reload()} />}
      {!items && !error && <Skeleton height={120} />}
      {items?.map((conflict) => (
        <One
          key={conflict.id}
          conflict={conflict}
          take={takes[conflict.id] ?? ''}
          onTake={(take) => setTakes((all) => ({ ...all, [conflict.id]: take }))}
          text={textOf(conflict)}
          onText={(text) => setTexts((all) => ({ ...all, [conflict.id]: text }))}
        />
      ))}
      {task.error !== undefined && <Failure error={task.error} />}
      {items && items.length > 0 && (
        <div class="remote__actions">
          <Button icon="check" busy={task.busy} disabled={!isSettled} onClick={settle}>
            {t.remote.resolve}
          </Button>
          <Button icon="bolt" busy={task.busy} onClick={() => void send({ agent: true }, t.remote.asked)}>
            {t.remote.byAgent}
          </Button>
        </div>
      )}
    </section>
  );
}

// isMarked tells a text in which the place of a conflict is still marked.
function isMarked(text: string): boolean {
  return /^(<<<<<<< the project|>>>>>>> the repository)\r?$/m.test(text);
}

interface OneProps {
  conflict: RemoteConflict;
  take: Take;
  onTake: (take: Take) => void;
  text: string;
  onText: (text: string) => void;
}

function One({ conflict, take, onTake, text, onText }: OneProps) {
  const { path, message, ours, theirs, merged } = conflict;
  return (
    <div class="remote__file">
      <p>
        <code>
          <bdi>{path}</bdi>
        </code>{' '}
        <span class="soft">{message}</span>
      </p>
      {take !== 'text' && (
        <div class="remote__sides">
          <Side label={t.remote.oursLabel} text={ours} isAlone={theirs !== null} />
          <Side label={t.remote.theirsLabel} text={theirs} isAlone={ours !== null} />
        </div>
      )}
      <Select
        label={t.remote.choice(path)}
        hideLabel
        value={take}
        onChange={(event) => onTake(event.currentTarget.value as Take)}
      >
        <option value="">{t.remote.choose}</option>
        <option value="ours">{t.remote.ours}</option>
        <option value="theirs">{t.remote.theirs}</option>
        {merged !== null && <option value="text">{t.remote.text}</option>}
      </Select>
      {take === 'text' && (
        <TextArea
          label={t.remote.merged(path)}
          hideLabel
          hint={isMarked(text) ? t.remote.marked : undefined}
          code
          rows={10}
          spellcheck={false}
          value={text}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

// Side shows the text of one side. If only it has none, the file is not there.
function Side({ label, text, isAlone }: { label: string; text: string | null; isAlone: boolean }) {
  return (
    <div class="remote__side">
      <p class="small soft">{label}</p>
      {text === null ? (
        <p class="faint small">{isAlone ? t.remote.noFile : t.remote.noText}</p>
      ) : (
        <pre class="remote__text" role="region" tabIndex={0} aria-label={label}>
          {text}
        </pre>
      )}
    </div>
  );
}
