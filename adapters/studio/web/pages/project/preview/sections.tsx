import type { ComponentChildren } from 'preact';

import { t } from '~/text';
import { Choice, ColorField, LengthField, LongField } from './controls';
import type { Picked } from './messages';

/** SectionProps are the element and the callbacks to set and save its properties. */
export interface SectionProps {
  picked: Picked;
  set: (property: string, value: string) => void;
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

/** TextSection edits the text of an element without child elements. */
export function TextSection({ picked, set, commit }: SectionProps) {
  if (picked.text === null) return <p class="small faint">{t.preview.edit.textFixed}</p>;
  return (
    <Section title={t.preview.edit.text}>
      <LongField
        label={t.preview.edit.text}
        value={picked.text}
        onChange={(value) => set('textContent', value)}
        onDone={commit}
      />
    </Section>
  );
}

const families = {
  sans: 'system-ui, sans-serif',
  serif: "Georgia, 'Times New Roman', serif",
  mono: 'ui-monospace, monospace',
} as const;

/** TypeSection edits the typography. */
export function TypeSection({ picked, set, commit }: SectionProps) {
  const { styles } = picked;
  const words = t.preview.edit;
  const family = (Object.keys(families) as (keyof typeof families)[]).find(
    (name) => plain(families[name]) === plain(styles['font-family'] ?? ''),
  );
  return (
    <Section title={words.type}>
      <ColorField
        label={words.color}
        value={styles.color ?? ''}
        onChange={(value) => set('color', value)}
        onDone={commit}
      />
      <div class="editor__pair">
        <LengthField
          label={words.size}
          property="font-size"
          value={styles['font-size'] ?? ''}
          onChange={(value) => set('font-size', value)}
          onDone={commit}
        />
        <Choice
          label={words.weight}
          value={styles['font-weight'] ?? '400'}
          onChange={(value) => set('font-weight', value)}
          options={named(words.weights, styles['font-weight'] ?? '400')}
        />
      </div>
      <div class="editor__pair">
        <Choice
          label={words.family}
          value={family ?? 'current'}
          onChange={(value) => {
            if (value !== 'current') set('font-family', families[value as keyof typeof families]);
          }}
          options={(['current', 'sans', 'serif', 'mono'] as const).map((name) => [name, words.families[name]])}
        />
        <Choice
          label={words.align}
          value={aligned(styles['text-align'] ?? 'start')}
          onChange={(value) => set('text-align', value)}
          options={Object.entries(words.aligns)}
        />
      </div>
    </Section>
  );
}

function plain(family: string): string {
  return family
    .replaceAll(/["']/g, '')
    .replaceAll(/\s*,\s*/g, ',')
    .toLowerCase();
}

function aligned(value: string): string {
  return { left: 'start', right: 'end', '-webkit-center': 'center' }[value] ?? value;
}

// named returns the options in order and adds the current value.
function named(words: Record<string, string>, value: string): [string, string][] {
  return value in words ? Object.entries(words) : [...Object.entries(words), [value, value]];
}

const sides = ['top', 'right', 'bottom', 'left'];

/** BoxSection edits the size and the spacing. */
export function BoxSection({ picked, set, commit }: SectionProps) {
  const { styles } = picked;
  const words = t.preview.edit;
  return (
    <Section title={words.box}>
      <ColorField
        label={words.background}
        value={styles['background-color'] ?? ''}
        onChange={(value) => set('background-color', value)}
        onDone={commit}
      />
      <LengthField
        label={words.radius}
        property="border-radius"
        value={styles['border-radius'] ?? ''}
        onChange={(value) => set('border-radius', value)}
        onDone={commit}
      />
      {(['padding', 'margin'] as const).map((name) => (
        <fieldset key={name} class="editor__sides">
          <legend>{words[name]}</legend>
          {sides.map((side) => (
            <LengthField
              key={side}
              label={`${words[name]} ${words.sides[side]}`}
              short={words.sides[side]}
              property={`${name}-${side}`}
              value={styles[`${name}-${side}`] ?? ''}
              onChange={(value) => set(`${name}-${side}`, value)}
              onDone={commit}
            />
          ))}
        </fieldset>
      ))}
    </Section>
  );
}

/** ClassSection edits the classes. */
export function ClassSection({ picked, set, commit }: SectionProps) {
  return (
    <Section title={t.preview.edit.classes}>
      <LongField
        label={t.preview.edit.classes}
        code
        value={picked.classes ?? ''}
        onChange={(value) => set('className', value.replaceAll(/\s+/g, ' '))}
        onDone={commit}
      />
    </Section>
  );
}
