import { useRef, useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Variable } from '~/api/types';
import { t } from '~/text';
import {
  ask,
  Button,
  complain,
  Failure,
  IconButton,
  inWords,
  Skeleton,
  say,
  TextArea,
  TextField,
  useTask,
  When,
} from '~/ui';
import type { ProjectStore } from '../store';

/** Environment sets the environment variables of builds. Their values are never shown again. */
export function Environment({ store }: { store: ProjectStore }) {
  const { data, error, reload } = useLoad(store.id, (signal) =>
    api.get<{ items: Variable[] }>(`/projects/${store.id}/env`, { signal }),
  );
  const [key, setKey] = useState('');
  const value = useRef<HTMLDivElement>(null);
  const replace = (name: string) => {
    setKey(name);
    value.current?.querySelector('textarea')?.focus();
  };
  const remove = async (name: string) => {
    if (
      !(await ask({
        title: t.publish.removeValueTitle(name),
        text: t.publish.removeValueText,
        confirm: t.shell.delete,
        danger: true,
      }))
    )
      return;
    await api.delete(`/projects/${store.id}/env/${encodeURIComponent(name)}`);
    await reload();
  };
  return (
    <section class="page__section" aria-labelledby="environment">
      <h2 id="environment">{t.publish.environment}</h2>
      <p class="soft">{t.publish.environmentHint}</p>
      {error ? (
        <Failure error={error} retry={reload} />
      ) : !data ? (
        <Skeleton height={52} />
      ) : data.items.length === 0 ? (
        <p class="soft">{t.publish.environmentEmpty}</p>
      ) : (
        <ul class="rows">
          {data.items.map((item) => (
            <li class="row" key={item.key}>
              <div class="row__main">
                <code>{item.key}</code>{' '}
                <span class={isPublic(item.key) ? 'badge badge--warning' : 'badge'}>
                  {isPublic(item.key) ? t.publish.inPages : t.publish.secret}
                </span>
                <div class="row__note">
                  {t.publish.changedAt} <When at={item.updatedAt} />
                </div>
              </div>
              <Button small onClick={() => replace(item.key)} aria-label={`${t.publish.replace}: ${item.key}`}>
                {t.publish.replace}
              </Button>
              <IconButton
                icon="trash"
                label={`${t.shell.delete}: ${item.key}`}
                small
                onClick={() => void remove(item.key).catch(complain)}
              />
            </li>
          ))}
        </ul>
      )}
      <div ref={value}>
        <SetValue store={store} name={key} onName={setKey} onSet={reload} />
      </div>
    </section>
  );
}

function isPublic(key: string): boolean {
  return key.startsWith('VITE_');
}

function SetValue({
  store,
  name,
  onName,
  onSet,
}: {
  store: ProjectStore;
  name: string;
  onName: (name: string) => void;
  onSet: () => Promise<void>;
}) {
  const [value, setValue] = useState('');
  const { busy, error, run } = useTask();
  const wrong = name === '' || /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) ? undefined : t.publish.keyWrong;
  const put = (event: Event) => {
    event.preventDefault();
    if (wrong || name === '') return;
    void run(async () => {
      await api.put(`/projects/${store.id}/env/${encodeURIComponent(name)}`, { value });
      say(t.publish.valueSet(name));
      onName('');
      setValue('');
      await onSet();
    });
  };
  return (
    <form class="variable" onSubmit={put} autocomplete="off">
      <TextField
        label={t.publish.key}
        placeholder={t.publish.keyPlaceholder}
        value={name}
        error={wrong}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        data-code
        onInput={(event) => onName(event.currentTarget.value.trim())}
      />
      <TextArea
        label={t.publish.value}
        hint={t.publish.valueHint}
        rows={1}
        value={value}
        error={error === undefined ? undefined : inWords(error)}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setValue(event.currentTarget.value)}
      />
      <Button type="submit" busy={busy} disabled={name === '' || wrong !== undefined}>
        {t.publish.setValue}
      </Button>
    </form>
  );
}
