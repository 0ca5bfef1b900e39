import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import type { Version } from '~/api/types';
import { t } from '~/text';
import { Button, inWords, say, TextField, useTask } from '~/ui';
import type { ProjectStore } from '../store';

/** SavePoint creates a named version. */
export function SavePoint({ store }: { store: ProjectStore }) {
  const [message, setMessage] = useState('');
  const { busy, error, run, clear } = useTask();
  const failure =
    error === undefined
      ? undefined
      : error instanceof ApiError && error.code === 'conflict'
        ? t.versions.nothingToSave
        : inWords(error);
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await api.post<Version>(`/projects/${store.id}/versions`, { message: message.trim() });
      setMessage('');
      say(t.versions.savedPoint);
      store.versionsChanged();
    });
  };
  return (
    <form class="savepoint" onSubmit={submit}>
      <TextField
        label={t.versions.savePoint}
        hideLabel
        placeholder={t.versions.savePointHint}
        value={message}
        required
        maxLength={1000}
        error={failure}
        autocomplete="off"
        onInput={(event) => {
          setMessage(event.currentTarget.value);
          clear();
        }}
      />
      <Button type="submit" icon="check" busy={busy}>
        {t.versions.savePoint}
      </Button>
    </form>
  );
}
