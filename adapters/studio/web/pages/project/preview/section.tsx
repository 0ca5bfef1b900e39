import type { ComponentChildren } from 'preact';

import type { Picked } from './messages';
import type { Theme } from './theme';

/** SectionProps are the element and the callbacks to set and save its properties. */
export interface SectionProps {
  picked: Picked;
  /** declared are the values of its classes, which may name tokens. */
  declared: Record<string, string>;
  /** theme is null in projects without Tailwind. */
  theme: Theme | null;
  /** set sets a property; token is the value as one of the theme. */
  set: (property: string, value: string, token?: string) => void;
  commit: () => void;
}

/** Section groups properties of an element. */
export function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="editor__section" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
