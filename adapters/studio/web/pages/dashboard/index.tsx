import { useEffect, useState } from 'preact/hooks';

import { api } from '~/api/client';
import { useLoad } from '~/api/load';
import type { Provider, Workspace } from '~/api/types';
import { useCommands } from '~/app/commands';
import { me, workspace } from '~/app/session';
import { Shell } from '~/app/shell';
import { useTitle } from '~/app/title';
import { useDefaultKind } from '~/pages/default-kind';
import { beginWishImages, type WishImages } from '~/pages/wish-images';
import { t } from '~/text';
import { Failure } from '~/ui';
import type { Desk, Doing } from './desk';
import { Dialogs } from './dialogs';
import { DropZone } from './drop-zone';
import { FirstAI } from './first-ai';
import { FolderTiles } from './folder-tiles';
import { useFolders } from './folders';
import { Gallery } from './gallery';
import { Path } from './path';
import { everything, usePlace } from './place';
import { ProjectList } from './project-list';
import { useProjects } from './projects';
import { Prompt } from './prompt';
import { Shared } from './shared';
import { useSharedTemplates, useTemplates } from './templates';
import { Toolbar } from './toolbar';

/** DashboardPage is the start page: a prompt for the agent and the workspace's projects. */
export default function DashboardPage() {
  useTitle(t.dashboard.title);
  const current = workspace.value;
  return <Shell>{current && <Dashboard key={current.id} workspace={current} />}</Shell>;
}

function Dashboard({ workspace }: { workspace: Workspace }) {
  const { place, go } = usePlace();
  const projects = useProjects(workspace.id, place);
  const folders = useFolders(workspace.id);
  const templates = useTemplates();
  const shared = useSharedTemplates(workspace.id);
  const providers = useNeedForAI(workspace.id);
  const [images, setImages] = useState<WishImages | null>(null);
  useEffect(() => {
    void beginWishImages().then(setImages);
  }, []);
  const kind = useDefaultKind(workspace.id);
  const [doing, begin] = useState<Doing | null>(null);
  const desk: Desk = { workspace, place, go, projects, folders, shared, begin };
  useCommands('dashboard', [
    { name: t.dashboard.newProject, icon: 'add', key: 'newProject', run: () => begin({ kind: 'create' }) },
    { name: t.dashboard.importTitle, icon: 'upload', run: () => begin({ kind: 'import' }) },
    { name: t.dashboard.newFolderTitle, icon: 'folder', run: () => begin({ kind: 'newFolder' }) },
    { name: t.dashboard.trash, icon: 'trash', key: 'trash', run: () => go({ ...everything, trash: true }) },
  ]);
  const settled =
    (projects.items ?? projects.error) !== undefined &&
    (folders.items ?? folders.error) !== undefined &&
    (shared.data ?? shared.error) !== undefined &&
    kind !== undefined;
  // Show the root instead of a deleted folder or another workspace's.
  const lost = place.folder !== '' && folders.items?.some(({ id }) => id === place.folder) === false;
  useEffect(() => {
    if (lost) go({ folder: '' }, true);
  }, [lost]);
  const filtered = place.q !== '' || place.visibility !== '';
  const fresh = !filtered && place.folder === '' && projects.items?.length === 0 && folders.items?.length === 0;
  return (
    <div class="dashboard">
      {!place.trash && providers.needed && <FirstAI workspace={workspace} onDone={providers.reload} />}
      {!place.trash && (
        <Prompt
          desk={desk}
          templates={[...(templates.data ?? []), ...(shared.data ?? [])]}
          disabled={providers.needed}
          images={images}
        />
      )}
      {/* Shown once the prompt above it has its height, as is what follows it, so that it does not move. */}
      {(place.trash || kind !== undefined) && (
        <section class="dashboard__projects" aria-label={t.dashboard.title}>
          <div class="dashboard__head">
            <Path desk={desk} />
            <Toolbar desk={desk} bare={fresh} />
          </div>
          {folders.error !== undefined && <Failure error={folders.error} retry={folders.reload} />}
          {!filtered && !place.trash && <FolderTiles desk={desk} />}
          <ProjectList desk={desk} />
        </section>
      )}
      {!filtered && !place.trash && place.folder === '' && <Shared current={workspace} />}
      {settled && !filtered && !place.trash && place.folder === '' && (
        <Gallery desk={desk} templates={templates.data ?? []} />
      )}
      <DropZone onFile={(file) => begin({ kind: 'import', file })} onImages={place.trash ? undefined : images?.add} />
      {doing && <Dialogs desk={desk} doing={doing} />}
    </div>
  );
}

// useNeedForAI reports whether the workspace has no AI provider, undefined while it is looked up.
function useNeedForAI(workspaceId: string): { needed: boolean | undefined; reload: () => void } {
  const platform = me.value?.features.platformProvider !== false;
  const { data, reload } = useLoad(`${platform} ${workspaceId}`, async (signal) =>
    platform ? [] : (await api.get<{ items: Provider[] }>(`/workspaces/${workspaceId}/ai-providers`, { signal })).items,
  );
  const needed = platform ? false : data && data.length === 0;
  return { needed, reload: () => void reload() };
}
