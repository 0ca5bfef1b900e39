import type { FunctionComponent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';

import { Gone } from '~/app/gone';
import { Shell } from '~/app/shell';
import { useTitle } from '~/app/title';
import { t } from '~/text';
import { Icon, type IconName } from '~/ui';
import { AI } from './ai';
import { Appearance } from './appearance';
import { Profile } from './profile';
import { Security } from './security';
import { Tokens } from './tokens';

type Section = keyof typeof t.settings.sections;

const pages: Record<Section, FunctionComponent> = {
  profile: Profile,
  security: Security,
  tokens: Tokens,
  ai: AI,
  appearance: Appearance,
};

const icons: Record<Section, IconName> = {
  profile: 'user',
  security: 'shield',
  tokens: 'key',
  ai: 'bolt',
  appearance: 'eye',
};

/** SettingsPage shows the user's settings, one section at a time. */
export default function SettingsPage({ section }: { section?: string }) {
  const { route } = useLocation();
  useEffect(() => {
    if (!section) route('/settings/profile', true);
  }, [section]);
  if (!section) return <Shell>{null}</Shell>;
  if (!Object.hasOwn(pages, section))
    return (
      <Shell>
        <Gone />
      </Shell>
    );
  return <SectionPage section={section as Section} />;
}

function SectionPage({ section }: { section: Section }) {
  useTitle(`${t.settings.sections[section]} · ${t.settings.title}`);
  const nav = useRef<HTMLElement>(null);
  // On a phone, the row of sections may be wider than the screen.
  useEffect(
    () => nav.current!.querySelector('[aria-current]')!.scrollIntoView({ inline: 'center', block: 'nearest' }),
    [section],
  );
  const Page = pages[section];
  return (
    <Shell>
      <div class="settings">
        <nav ref={nav} class="settings__nav" aria-label={t.settings.title}>
          {(Object.keys(pages) as Section[]).map((name) => (
            <a key={name} class="tab" href={`/settings/${name}`} aria-current={name === section ? 'page' : undefined}>
              <Icon name={icons[name]} />
              {t.settings.sections[name]}
            </a>
          ))}
        </nav>
        <div class="settings__body">
          <h1>{t.settings.sections[section]}</h1>
          <Page />
        </div>
      </div>
    </Shell>
  );
}
