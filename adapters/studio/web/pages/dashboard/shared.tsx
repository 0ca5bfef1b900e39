import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Page, Project, Workspace } from '~/api/types';
import { chooseWorkspace, workspaces } from '~/app/session';
import { t } from '~/text';
import { Button, Icon, When } from '~/ui';

const most = 6;

/** Shared shows the newest projects of the user's other workspaces. */
export function Shared({ current }: { current: Workspace }) {
  const others = workspaces.value.filter(({ id }) => id !== current.id);
  const { data } = useLoad(`shared ${others.map(({ id }) => id).join()}`, (signal) =>
    others.length > 0
      ? api.get<Page<Project>>('/projects', { query: { limit: 50 }, signal })
      : Promise.resolve({ items: [], nextCursor: null }),
  );
  if (!current.personal || others.length === 0) return null;
  const items = data?.items.filter(({ workspaceId }) => workspaceId !== current.id).slice(0, most) ?? [];
  const nameOf = (id: string) => others.find((space) => space.id === id)?.name ?? '';
  return (
    <section class="shared" aria-label={t.dashboard.shared}>
      <div class="shared__head">
        <h2>{t.dashboard.shared}</h2>
        {others.slice(0, 4).map(({ id, name }) => (
          <Button key={id} small icon="people" onClick={() => chooseWorkspace(id)}>
            <bdi>{name}</bdi>
          </Button>
        ))}
      </div>
      {items.length > 0 && (
        <ul class="rows">
          {items.map((project) => (
            <li key={project.id} class="row">
              <Icon name="box" />
              <div class="row__main">
                <div>
                  <a href={`/projects/${project.id}`}>
                    <bdi>{project.name}</bdi>
                  </a>
                </div>
                <div class="row__note">
                  <bdi>{nameOf(project.workspaceId)}</bdi> · <When at={project.updatedAt} />
                </div>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
