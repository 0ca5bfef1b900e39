import type { Project } from '~/api/types';
import { atLeast } from '~/app/session';
import { isolate, t } from '~/text';
import { Button, complain, IconButton, useTask, When } from '~/ui';
import { purgeProject, restoreProject } from './actions';
import type { Desk } from './desk';

export function TrashRow({ desk, project }: { desk: Desk; project: Project }) {
  const { busy, run } = useTask({ onError: complain });
  return (
    <li class="row">
      <div class="row__main">
        <bdi>{project.name}</bdi>
        <p class="row__note">
          {t.dashboard.deleted} <When at={project.deletedAt ?? project.updatedAt} />
        </p>
      </div>
      <Button
        icon="restore"
        aria-label={t.dashboard.restoreOf(isolate(project.name))}
        disabled={busy}
        onClick={() => void run(() => restoreProject(desk, project))}
      >
        {t.dashboard.restore}
      </Button>
      {atLeast(desk.workspace.role, 'owner') && (
        <IconButton
          icon="trash"
          label={t.dashboard.purgeOf(isolate(project.name))}
          disabled={busy}
          onClick={() => void run(() => purgeProject(desk, project))}
        />
      )}
    </li>
  );
}
