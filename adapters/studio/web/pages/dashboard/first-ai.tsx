import type { Workspace } from '~/api/types';
import { atLeast } from '~/app/session';
import { FirstProvider } from '~/pages/workspace/first-provider';
import { t } from '~/text';
import { Icon } from '~/ui';

/** FirstAI helps to add the first AI provider to a workspace. */
export function FirstAI({ workspace, onDone }: { workspace: Workspace; onDone: () => void }) {
  const may = atLeast(workspace.role, 'admin');
  return (
    <section class="card first-ai" aria-labelledby="first-ai">
      <div class="first-ai__head">
        <Icon name="bolt" size={24} />
        <div>
          <h2 id="first-ai">{t.dashboard.providerTitle}</h2>
          <p class="soft">{may ? t.dashboard.providerHint : t.dashboard.providerAsk}</p>
        </div>
      </div>
      {may && <FirstProvider workspaceId={workspace.id} onDone={onDone} />}
    </section>
  );
}
