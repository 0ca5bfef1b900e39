import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Deployment, Page, Project, Version } from '~/api/types';
import { atLeast, workspaces } from '~/app/session';
import { t } from '~/text';
import { Banner, Failure } from '~/ui';
import { Checks } from '../checks/list';
import type { ProjectStore } from '../store';
import { Deployments } from './deployments';
import { Domains } from './domains';
import { Environment } from './environment';
import { SiteSettings } from './settings';
import { Site } from './site';
import { Visits } from './visits';

/** Pane publishes the project and shows its site. */
export default function Pane({ store }: { store: ProjectStore }) {
  if (!store.canEdit.value) {
    return (
      <div class="publish">
        <Banner>{t.publish.readers}</Banner>
      </div>
    );
  }
  return <Publishing store={store} />;
}

function Publishing({ store }: { store: ProjectStore }) {
  const project = store.project.value;
  const deployments = useLoad(store.id, (signal) =>
    api.get<{ items: Deployment[] }>(`/projects/${store.id}/deployments`, { signal }),
  );
  // Load the newest version and the files to see whether something has changed.
  const newest = useLoad(`${store.id} ${store.versions.value}`, (signal) =>
    api.get<Page<Version>>(`/projects/${store.id}/versions`, { query: { limit: 1 }, signal }),
  );
  const isAdmin = atLeast(workspaces.value.find(({ id }) => id === project.workspaceId)?.role, 'admin');
  const live = deployments.data?.items.find(({ status }) => status === 'live') ?? null;
  const changes = [newest.data?.items[0]?.createdAt ?? '', ...store.files.value.map(({ updatedAt }) => updatedAt)];
  const isChanged = live !== null && changes.some((at) => at > live.createdAt);

  const renew = async (next?: Project) => {
    store.project.value = next ?? (await api.get<Project>(`/projects/${store.id}`));
    await deployments.reload();
  };
  return (
    <div class="publish">
      <div class="publish__column">
        <Site store={store} live={live} isChanged={isChanged} onChanged={renew} />
        {deployments.error ? (
          <Failure error={deployments.error} retry={deployments.reload} />
        ) : (
          <Deployments store={store} items={deployments.data?.items} onChanged={renew} />
        )}
        {live && <Visits store={store} />}
        <SiteSettings store={store} />
        <Checks store={store} />
        <Domains store={store} isAdmin={isAdmin} />
        <Environment store={store} />
      </div>
    </div>
  );
}
