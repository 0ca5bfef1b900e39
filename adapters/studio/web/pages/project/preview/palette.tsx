import { useState } from 'preact/hooks';

import { t } from '~/text';
import { Field, Select } from '~/ui';
import { useDraft } from './controls';
import type { SectionProps } from './section';
import { type Colour, coloursOf, type Theme, tokenIn } from './theme';

interface ColorProps extends SectionProps {
  label: string;
  property: string;
  /** shown is the property whose value is shown, if it is another one. */
  shown?: string;
}

/** ColorField edits a colour: with a picker, as CSS, or as one of the theme. */
export function ColorField({ label, property, shown: from, picked, declared, theme, set, commit }: ColorProps) {
  const value = picked.styles[from ?? property] ?? '';
  const { shown, setDraft, leave } = useDraft(value === '#00000000' ? '' : value, commit);
  const isWrong = shown !== '' && !CSS.supports('color', shown);
  const token = tokenIn(declared[from ?? property])?.replace(/^color-/, '');
  const take = (text: string) => {
    setDraft(text);
    if (text !== '' && CSS.supports('color', text)) set(property, text);
  };
  return (
    <div class="editor__colour">
      <Field label={label} error={isWrong ? t.preview.edit.invalid : undefined}>
        {(wiring) => (
          <div class="color">
            <input
              class="color__swatch"
              type="color"
              aria-label={t.preview.edit.pick(label)}
              value={/^#[0-9a-f]{6}/.test(shown) ? shown.slice(0, 7) : '#000000'}
              data-none={shown === '' || undefined}
              onInput={(event) => take(event.currentTarget.value)}
              onChange={leave}
            />
            <input
              {...wiring}
              class="input"
              value={shown}
              placeholder={t.preview.edit.none}
              spellcheck={false}
              autocomplete="off"
              onInput={(event) => take(event.currentTarget.value)}
              onBlur={leave}
            />
          </div>
        )}
      </Field>
      {theme && (
        <Palette
          label={label}
          theme={theme}
          current={token ?? null}
          onChoose={({ name, value: plain }) => {
            setDraft(null);
            set(property, plain, `var(--color-${name})`);
            commit();
          }}
        />
      )}
    </div>
  );
}

function Palette({
  label,
  theme,
  current,
  onChoose,
}: {
  label: string;
  theme: Theme;
  current: string | null;
  onChoose: (colour: Colour) => void;
}) {
  const words = t.preview.edit;
  const { own, hues } = coloursOf(theme);
  const nameOf = (shades: Colour[]) => shades[0]!.name.replace(/-\d+$/, '');
  const [hue, setHue] = useState(current?.replace(/-\d+$/, '') ?? '');
  const shades = hues.find((all) => nameOf(all) === hue) ?? hues.find((all) => nameOf(all) === 'blue') ?? hues[0];
  return (
    <details class="palette">
      <summary>{current ? words.themeColour(current) : words.themeColours}</summary>
      <Swatches label={`${label}: ${words.themeColours}`} colours={own} current={current} onChoose={onChoose} />
      {shades && (
        <>
          <Select
            label={`${label}: ${words.hue}`}
            hideLabel
            value={nameOf(shades)}
            onChange={(event) => setHue(event.currentTarget.value)}
          >
            {hues.map((all) => (
              <option key={nameOf(all)} value={nameOf(all)}>
                {nameOf(all)}
              </option>
            ))}
          </Select>
          <Swatches label={`${label}: ${nameOf(shades)}`} colours={shades} current={current} onChoose={onChoose} />
        </>
      )}
    </details>
  );
}

function Swatches({
  label,
  colours,
  current,
  onChoose,
}: {
  label: string;
  colours: Colour[];
  current: string | null;
  onChoose: (colour: Colour) => void;
}) {
  return (
    <fieldset class="palette__swatches" aria-label={label}>
      {colours.map((colour) => (
        <button
          key={colour.name}
          type="button"
          class="palette__swatch"
          style={{ background: colour.value }}
          aria-label={colour.name}
          title={colour.name}
          aria-pressed={colour.name === current}
          onClick={() => onChoose(colour)}
        />
      ))}
    </fieldset>
  );
}
