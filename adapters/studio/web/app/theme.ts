// The colour scheme: light, dark, or the system's. public/theme.js applies it before the
// first paint.

import { browserStorage } from '~/storage';

export type Theme = 'system' | 'light' | 'dark';

const memory = 'atelier.theme';

export function theme(): Theme {
  const kept = browserStorage.text(memory);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function setTheme(next: Theme): void {
  if (next === 'system') {
    browserStorage.remove(memory);
    delete document.documentElement.dataset.theme;
  } else {
    browserStorage.setText(memory, next);
    document.documentElement.dataset.theme = next;
  }
  // The browser's own bars have the page's colour.
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
    const { scheme } = meta.dataset;
    meta.media = next === 'system' ? `(prefers-color-scheme: ${scheme})` : scheme === next ? '' : 'not all';
  }
}
