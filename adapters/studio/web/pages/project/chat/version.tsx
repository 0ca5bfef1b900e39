import { useState } from 'preact/hooks';

import { ApiError, api } from '~/api/client';
import { t } from '~/text';
import { Button, complain, Icon, inWords, say, useTask } from '~/ui';
import type { ProjectStore } from '../store';
import type { VersionItem } from './log';

/** VersionView shows the version that a run created, with links to open or undo it. */
export function VersionView({ item, store }: { item: VersionItem; store: ProjectStore }) {
  const [undone, setUndone] = useState(false);
  const { busy, error, run } = useTask({
    onError: (failed) => {
      if (!isConflict(failed)) complain(failed);
    },
  });
  const undo = () =>
    run(async () => {
      await api.post(`/projects/${store.id}/versions/${item.versionId}/undo`);
      setUndone(true);
      say(t.chat.undone);
      store.filesChanged();
      store.versionsChanged();
    });
  return (
    <div class="made">
      <Icon name="history" />
      <span class="made__words">{t.chat.version(item.filesChanged)}</span>
      <Button small kind="quiet" onClick={() => store.showVersion(item.versionId)}>
        {t.chat.show}
      </Button>
      <Button small kind="quiet" icon="undo" busy={busy} disabled={undone} onClick={() => void undo()}>
        {t.chat.undo}
      </Button>
      {isConflict(error) && (
        <p class="made__conflict" role="alert">
          {t.chat.conflict} {inWords(error)}
        </p>
      )}
    </div>
  );
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}
