// Light, dark, or as the system has it. public/theme.js applies the choice before
// the first paint.

export type Theme = 'system' | 'light' | 'dark';

const memory = 'atelier.theme';

export function theme(): Theme {
  const kept = localStorage.getItem(memory);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function setTheme(next: Theme): void {
  if (next === 'system') {
    localStorage.removeItem(memory);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(memory, next);
    document.documentElement.dataset.theme = next;
  }
}
