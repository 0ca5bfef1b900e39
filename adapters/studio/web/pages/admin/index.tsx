import { useLocation } from 'preact-iso';

import { useCommands } from '~/app/commands';
import { Gone } from '~/app/gone';
import { me } from '~/app/session';
import { Shell } from '~/app/shell';
import { useTitle } from '~/app/title';
import { t } from '~/text';
import { Empty, type IconName, Sections } from '~/ui';
import { Log } from '../workspace/audit';
import { AIProviders } from './ai-providers';
import { Backups } from './backups';
import { Health } from './health';
import { IdentityProviders } from './identity-providers';
import { People } from './people';
import { Settings } from './settings';
import { Sites } from './sites';
import { Workspaces } from './workspaces';

const sections = {
  people: People,
  workspaces: Workspaces,
  signup: Settings,
  ai: AIProviders,
  providers: IdentityProviders,
  sites: Sites,
  health: Health,
  backups: Backups,
  audit: AdminLog,
};

type Section = keyof typeof sections;

const icons: Record<Section, IconName> = {
  people: 'people',
  workspaces: 'folder',
  signup: 'settings',
  ai: 'bolt',
  providers: 'key',
  sites: 'globe',
  health: 'check',
  backups: 'database',
  audit: 'shield',
};

/** AdminPages are the pages of those who run the installation. */
export default function AdminPages({ section = 'people' }: { section?: string }) {
  const { route } = useLocation();
  const items = (Object.keys(sections) as Section[]).map((name) => ({
    name,
    icon: icons[name],
    label: t.admin.sections[name],
    href: `/admin/${name}`,
  }));
  useCommands(
    'admin',
    items.map(({ label, icon, href }) => ({
      name: `${t.admin.navigation}: ${label}`,
      icon,
      run: () => route(href),
    })),
  );
  const title = t.admin.sections[section as Section] ?? t.admin.navigation;
  useTitle(title);
  if (!(section in sections)) return <Gone />;
  const Section = sections[section as Section];
  return (
    <Shell>
      {me.value?.instance.admin ? (
        <Sections label={t.admin.navigation} current={section} items={items}>
          <div class="page__head">
            <h1>{title}</h1>
          </div>
          <Section />
        </Sections>
      ) : (
        <>
          <h1 class="visually-hidden">{t.admin.navigation}</h1>
          <Empty icon="shield" title={t.admin.onlyAdmins}>
            {t.admin.onlyAdminsHint}
          </Empty>
        </>
      )}
    </Shell>
  );
}

function AdminLog() {
  return <Log path="/admin/audit" label={t.admin.sections.audit} hint={t.admin.audit.hint} />;
}
