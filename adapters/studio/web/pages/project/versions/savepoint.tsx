import { useState } from 'preact/hooks';

import { api, ApiError } from '~/api/client';
import type { Version } from '~/api/types';
import { t } from '~/text';
import { Button, inWords, say, TextField } from '~/ui';
import type { ProjectStore } from '../store';

/** SavePoint makes a version of what has been edited, under a name. */
export function SavePoint({ store }: { store: ProjectStore }) {
  const [message, setMessage] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    try {
      await api.post<Version>(`/projects/${store.id}/versions`, { message: message.trim() });
      setMessage('');
      say(t.versions.savedPoint);
      store.versionsChanged();
    } catch (failure) {
      setError(failure instanceof ApiError && failure.code === 'conflict' ? t.versions.nothingToSave : inWords(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="savepoint" onSubmit={submit}>
      <TextField
        label={t.versions.savePoint} hideLabel placeholder={t.versions.savePointHint} value={message} required maxLength={1000} error={error} autocomplete="off"
        onInput={(event) => { setMessage(event.currentTarget.value); setError(''); }}
      />
      <Button type="submit" icon="check" busy={busy}>{t.versions.savePoint}</Button>
    </form>
  );
}
