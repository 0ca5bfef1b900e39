import SunMoon from 'lucide/dist/esm/icons/sun-moon.mjs';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { choose, currentLanguage, languages, nameOf, t } from '~/text';
import { Icon, Menu } from '~/ui';
import { Mark } from './mark';
import { setTheme, theme } from './theme';

/** VisitorBar is the top bar of the pages that need no session. */
export function VisitorBar({ children }: { children?: ComponentChildren }) {
  return (
    <header class="visitor-bar">
      <a class="visitor-bar__mark" href="/">
        <Mark />
        <span>{t.shell.product}</span>
      </a>
      <div class="visitor-bar__end">
        <LanguageMenu />
        <ThemeMenu />
        {children}
      </div>
    </header>
  );
}

function LanguageMenu() {
  const items = languages.map((name) => ({
    label: nameOf(name),
    checked: currentLanguage() === name,
    onSelect: () => choose(name),
  }));
  return (
    <Menu label={`${t.shell.language}: ${nameOf(currentLanguage())}`} items={items}>
      <Icon name="globe" />
      <span class="visitor-bar__language">{nameOf(currentLanguage())}</span>
    </Menu>
  );
}

function ThemeMenu() {
  const [, again] = useState(0);
  const items = (['system', 'light', 'dark'] as const).map((name) => ({
    label: t.shell.themes[name],
    checked: theme() === name,
    onSelect: () => {
      setTheme(name);
      again((count) => count + 1);
    },
  }));
  return <Menu label={`${t.shell.theme}: ${t.shell.themes[theme()]}`} icon={SunMoon} items={items} />;
}
