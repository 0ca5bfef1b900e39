import { useState } from 'preact/hooks';

import { api, ApiError } from '~/api/client';
import { t } from '~/text';
import { Button, complain, Icon, inWords, say } from '~/ui';
import type { ProjectStore } from '../store';
import type { VersionItem } from './log';

/** VersionView says that a run made a version, and lets it be looked at and taken back. */
export function VersionView({ item, store }: { item: VersionItem; store: ProjectStore }) {
  const [busy, setBusy] = useState(false);
  const [undone, setUndone] = useState(false);
  const [conflict, setConflict] = useState('');
  const undo = async () => {
    setBusy(true);
    setConflict('');
    try {
      await api.post(`/projects/${store.id}/versions/${item.versionId}/undo`);
      setUndone(true);
      say(t.chat.undone);
      store.filesChanged();
      store.versionsChanged();
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) setConflict(inWords(error));
      else complain(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="made">
      <Icon name="history" />
      <span class="made__words">{t.chat.version(item.filesChanged)}</span>
      <Button small kind="quiet" onClick={() => store.showVersion(item.versionId)}>{t.chat.show}</Button>
      <Button small kind="quiet" icon="undo" busy={busy} disabled={undone} onClick={() => void undo()}>{t.chat.undo}</Button>
      {conflict && <p class="made__conflict" role="alert">{t.chat.conflict} {conflict}</p>}
    </div>
  );
}
