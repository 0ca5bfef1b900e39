import { t } from '~/text';
import { Choice, LengthField, LongField, NumberField } from './controls';
import { ColorField } from './palette';
import { Section, type SectionProps } from './section';
import { Sides } from './sides';
import { plainShadows, shadows } from './tokens';

/** TextSection edits the text of an element without child elements. */
export function TextSection({ picked, set, commit, unknown }: SectionProps & { unknown: boolean }) {
  if (picked.text === null) return <p class="small faint">{t.preview.edit.textFixed}</p>;
  return (
    <Section title={t.preview.edit.text}>
      <LongField
        label={t.preview.edit.text}
        value={picked.text}
        readOnly={unknown}
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
export function TypeSection(props: SectionProps) {
  const { picked, theme, set, commit } = props;
  const { styles } = picked;
  const words = t.preview.edit;
  const family = (Object.keys(families) as (keyof typeof families)[]).find(
    (name) => plain(families[name]) === plain(styles['font-family'] ?? ''),
  );
  return (
    <Section title={words.type}>
      <ColorField {...props} label={words.color} property="color" />
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
            const name = value as keyof typeof families;
            if (value !== 'current') set('font-family', families[name], theme ? `var(--font-${name})` : undefined);
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

/** SpaceSection edits what is inside and around. */
export function SpaceSection({ picked, set, commit }: SectionProps) {
  const words = t.preview.edit;
  return (
    <Section title={words.space}>
      {(['padding', 'margin'] as const).map((name) => (
        <Sides key={name} name={name} styles={picked.styles} set={set} commit={commit} />
      ))}
    </Section>
  );
}

/** BoxSection edits the background and the size. */
export function BoxSection(props: SectionProps) {
  const { picked, set, commit } = props;
  const words = t.preview.edit;
  const length = (property: string, label: string) => (
    <LengthField
      label={label}
      property={property}
      value={picked.styles[property] ?? ''}
      onChange={(value) => set(property, value)}
      onDone={commit}
    />
  );
  return (
    <Section title={words.box}>
      <ColorField {...props} label={words.background} property="background-color" />
      <div class="editor__pair">
        {length('width', words.width)}
        {length('height', words.height)}
      </div>
      <div class="editor__pair">
        {length('max-width', words.maxWidth)}
        <NumberField
          label={words.opacity}
          value={String(Math.round(Number(picked.styles.opacity ?? '1') * 100))}
          onChange={(value) => set('opacity', String(value / 100))}
          onDone={commit}
        />
      </div>
    </Section>
  );
}

const layouts = ['block', 'flex', 'grid', 'inline-block', 'none'] as const;

/** LayoutSection edits how the parts inside are arranged. */
export function LayoutSection({ picked, set, commit }: SectionProps) {
  const { styles } = picked;
  const words = t.preview.edit;
  const display = styles.display ?? 'block';
  const choice = (property: string, label: string, options: Record<string, string>) => (
    <Choice
      label={label}
      value={styles[property] ?? ''}
      options={named(options, styles[property] ?? '')}
      onChange={(value) => {
        set(property, value);
        commit();
      }}
    />
  );
  const isFlex = display.endsWith('flex');
  const isGrid = display.endsWith('grid');
  return (
    <Section title={words.layout}>
      <div class="editor__pair">
        <Choice
          label={words.display}
          value={display}
          options={named(Object.fromEntries(layouts.map((name) => [name, words.displays[name]])), display)}
          onChange={(value) => {
            set('display', value);
            commit();
          }}
        />
        {isFlex && choice('flex-direction', words.direction, words.directions)}
        {isGrid && (
          <NumberField
            label={words.columns}
            value={String(
              (styles['grid-template-columns'] ?? 'none').split(' ').filter((part) => part !== 'none').length || 1,
            )}
            most={12}
            onChange={(value) => set('grid-template-columns', `repeat(${Math.max(1, value)}, minmax(0, 1fr))`)}
            onDone={commit}
          />
        )}
      </div>
      {(isFlex || isGrid) && (
        <>
          <div class="editor__pair">
            {choice('align-items', words.alignItems, words.alignments)}
            {choice('justify-content', words.justify, words.justifications)}
          </div>
          <LengthField
            label={words.gap}
            property="row-gap"
            value={styles['row-gap'] ?? ''}
            onChange={(value) => set('gap', value)}
            onDone={commit}
          />
        </>
      )}
    </Section>
  );
}

/** BorderSection edits corners, border and shadow. */
export function BorderSection(props: SectionProps) {
  const { picked, theme, set, commit } = props;
  const { styles } = picked;
  const words = t.preview.edit;
  const width = styles['border-top-width'] ?? '0';
  return (
    <Section title={words.border}>
      <div class="editor__pair">
        <LengthField
          label={words.radius}
          property="border-radius"
          value={styles['border-radius'] ?? ''}
          onChange={(value) => set('border-radius', value)}
          onDone={commit}
        />
        <LengthField
          label={words.borderWidth}
          property="border-top-width"
          value={width}
          onChange={(value) => {
            set('border-width', value);
            // Without a style, no width is seen.
            if (!theme && styles['border-top-style'] === 'none') set('border-style', 'solid');
          }}
          onDone={commit}
        />
      </div>
      {Number.parseFloat(width) > 0 && (
        <ColorField {...props} label={words.borderColor} property="border-color" shown="border-top-color" />
      )}
      <Choice
        label={words.shadow}
        value={shadowOf(styles['box-shadow'] ?? 'none')}
        options={named(words.shadows, shadowOf(styles['box-shadow'] ?? 'none'))}
        onChange={(value) => {
          const name = value as keyof typeof plainShadows;
          const plain = plainShadows[name];
          if (!plain) return;
          set('box-shadow', plain, theme && name !== 'none' ? `var(--shadow-${name})` : undefined);
          commit();
        }}
      />
    </Section>
  );
}

// shadowOf names the shadow that a computed value is: by the blur of its first visible part.
function shadowOf(value: string): string {
  const parts = [...value.matchAll(/(-?[\d.]+)px (-?[\d.]+)px (-?[\d.]+)px/g)].map((found) => Number(found[3]));
  const blur = parts.find((size) => size > 0);
  if (blur === undefined) return 'none';
  return (
    shadows.find((name) => plainShadows[name].startsWith(`0 `) && plainShadows[name].split(' ')[2] === `${blur}px`) ??
    'own'
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
