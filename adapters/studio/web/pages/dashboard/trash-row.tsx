import { useState } from 'preact/hooks';

import type { Project } from '~/api/types';
import { atLeast } from '~/app/session';
import { isolate, t } from '~/text';
import { Button, IconButton, When } from '~/ui';
import { purgeProject, restoreProject } from './actions';
import type { Desk } from './desk';

/** TrashRow is a project in the trash. */
export function TrashRow({ desk, project }: { desk: Desk; project: Project }) {
  const [busy, setBusy] = useState(false);
  const run = async (act: typeof restoreProject) => {
    setBusy(true);
    await act(desk, project);
    setBusy(false);
  };
  return (
    <li class="row">
      <div class="row__main">
        <bdi>{project.name}</bdi>
        <p class="row__note">{t.dashboard.deleted} <When at={project.deletedAt ?? project.updatedAt} /></p>
      </div>
      <Button icon="restore" aria-label={t.dashboard.restoreOf(isolate(project.name))} disabled={busy} onClick={() => void run(restoreProject)}>{t.dashboard.restore}</Button>
      {atLeast(desk.workspace.role, 'owner') && <IconButton icon="trash" label={t.dashboard.purgeOf(isolate(project.name))} disabled={busy} onClick={() => void run(purgeProject)} />}
    </li>
  );
}
