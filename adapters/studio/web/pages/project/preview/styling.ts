import { computed, signal } from '@preact/signals';

import type { ProjectStore } from '../store';
import type { Picked } from './messages';
import { type Patch, readText } from './sources';
import { inTokens, plainValue, readTheme, type Theme, usesTailwind } from './theme';

const mostSheets = 20;

export const widths = ['', 'sm', 'md', 'lg'] as const;
export const states = ['', 'hover', 'focus'] as const;

/**
 * Styling decides how styles are written: as classes in projects with Tailwind, for the
 * widths and the state that are chosen, and else as CSS.
 */
export class Styling {
  /** theme is null in projects without Tailwind. */
  readonly theme = signal<Theme | null>(null);
  readonly width = signal<(typeof widths)[number]>('');
  readonly state = signal<(typeof states)[number]>('');
  readonly dark = signal(false);
  readonly variant = computed(() =>
    this.theme.value ? [this.dark.value && 'dark', this.width.value, this.state.value].filter(Boolean).join(':') : '',
  );

  constructor(private readonly store: ProjectStore) {}

  /** read looks for the style sheet that imports Tailwind, and reads its theme. */
  async read(): Promise<void> {
    const sheets = this.store.files.value
      .map(({ path }) => path)
      .filter((path) => path.endsWith('.css'))
      .sort((a, b) => a.split('/').length - b.split('/').length)
      .slice(0, mostSheets);
    for (const path of sheets) {
      try {
        const sheet = await readText(this.store.id, path);
        if (!usesTailwind(sheet)) continue;
        this.theme.value = readTheme(path, sheet);
        return;
      } catch {
        // The file was deleted in the meantime.
      }
    }
    this.theme.value = null;
  }

  /** patchOf returns the change that sets a property; token is the value as one of the theme. */
  patchOf(property: string, value: string, token: string | undefined, shown: string): Patch {
    if (property === 'textContent') return shown.trim() === '' ? { property, value } : { property, value, shown };
    const theme = this.theme.value;
    if (theme === null || attributes.has(property)) return { property, value };
    const written = token ?? inTokens(theme, property, value);
    const variant = this.variant.value;
    return { property, value: written, as: 'class', ...(variant && { variant }) };
  }

  /** stylesOf returns an element's styles for the chosen variant, and what its classes declare for it. */
  stylesOf(picked: Picked): { styles: Record<string, string>; declared: Record<string, string> } {
    const wanted = this.variant.value.split(':').sort().join(':');
    const found = Object.entries(picked.declared).find(([variant]) => variant.split(':').sort().join(':') === wanted);
    const declared = found?.[1] ?? {};
    const theme = this.theme.value;
    if (theme === null || wanted === '') return { styles: picked.styles, declared };
    const plain = Object.entries(declared).map(([name, value]) => [name, plainValue(theme, value)]);
    return { styles: { ...picked.styles, ...Object.fromEntries(plain) }, declared };
  }
}

const attributes = new Set(['textContent', 'className', 'src', 'alt']);
