import Brush from 'lucide/dist/esm/icons/brush.mjs';
import Plug from 'lucide/dist/esm/icons/plug.mjs';
import Webhook from 'lucide/dist/esm/icons/webhook.mjs';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import type { Workspace } from '~/api/types';
import { useCommands } from '~/app/commands';
import { Gone } from '~/app/gone';
import { atLeast, chooseWorkspace, reloadWorkspaces, workspaces } from '~/app/session';
import { Shell } from '~/app/shell';
import { useTitle } from '~/app/title';
import { t } from '~/text';
import { Empty, type IconName, Loading, Sections } from '~/ui';
import { Audit } from './audit';
import { Commands } from './commands';
import { Connectors } from './connectors';
import { General } from './general';
import { Members } from './members';
import { Modes } from './modes';
import { Providers } from './providers';
import { UsagePage } from './usage';
import { Webhooks } from './webhooks';

const sections = {
  members: Members,
  providers: Providers,
  modes: Modes,
  commands: Commands,
  connectors: Connectors,
  webhooks: Webhooks,
  usage: UsagePage,
  audit: Audit,
  general: General,
};

type Section = keyof typeof sections;

const forAdmins: Section[] = ['connectors', 'webhooks', 'audit'];

const icons: Record<Section, IconName> = {
  members: 'people',
  providers: 'bolt',
  modes: Brush,
  commands: 'terminal',
  connectors: Plug,
  webhooks: Webhook,
  usage: 'chart',
  audit: 'shield',
  general: 'settings',
};

/** WorkspacePages shows the pages of a workspace and makes it the current one. */
export default function WorkspacePages({ wid, section = 'members' }: { wid: string; section?: string }) {
  const [asked, setAsked] = useState('');
  const space = workspaces.value.find(({ id }) => id === wid);
  useEffect(() => {
    // The user may have joined it after the list was loaded.
    if (space) chooseWorkspace(wid);
    else
      void reloadWorkspaces()
        .catch(() => {})
        .then(() => setAsked(wid));
  }, [wid, !space]);
  if (!space) return asked === wid ? <Gone /> : <Loading />;
  return section in sections ? <OneSection key={wid} space={space} section={section as Section} /> : <Gone />;
}

function OneSection({ space, section }: { space: Workspace; section: Section }) {
  const isAdmin = atLeast(space.role, 'admin');
  const names = (Object.keys(sections) as Section[]).filter((name) => isAdmin || !forAdmins.includes(name));
  const title = t.workspace.sections[section];
  const Section = sections[section];
  const { route } = useLocation();
  const items = names.map((name) => ({
    name,
    icon: icons[name],
    label: t.workspace.sections[name],
    href: `/workspaces/${space.id}/${name}`,
  }));
  useCommands(
    'workspace',
    items.map(({ label, icon, href }) => ({
      name: `${t.workspace.navigation}: ${label}`,
      icon,
      run: () => route(href),
    })),
  );
  useTitle(`${title} · ${space.name}`);
  return (
    <Shell>
      <Sections label={t.workspace.navigation} current={section} items={items}>
        <div class="page__head">
          <h1>{title}</h1>
        </div>
        {names.includes(section) ? (
          <Section space={space} />
        ) : (
          <Empty icon="shield" title={t.workspace.onlyAdmins}>
            {t.workspace.onlyAdminsHint}
          </Empty>
        )}
      </Sections>
    </Shell>
  );
}
