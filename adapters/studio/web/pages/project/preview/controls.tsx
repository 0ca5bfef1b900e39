import { useState } from 'preact/hooks';

import { t } from '~/text';
import { Field, Select, TextArea } from '~/ui';

interface ControlProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** onDone is called when the field loses the focus. */
  onDone: () => void;
}

// A focused field shows the typed text; otherwise it shows the page's value.
function useDraft(value: string, onDone: () => void) {
  const [draft, setDraft] = useState<string | null>(null);
  const leave = () => {
    onDone();
    setDraft(null);
  };
  return { shown: draft ?? value, setDraft, leave };
}

/** LongField edits a value of several lines. */
export function LongField({ label, value, code, onChange, onDone }: ControlProps & { code?: boolean }) {
  const { shown, setDraft, leave } = useDraft(value, onDone);
  return (
    <TextArea
      label={label}
      hideLabel
      rows={code ? 2 : Math.min(6, Math.max(2, Math.ceil(shown.length / 32)))}
      value={shown}
      spellcheck={!code}
      data-code={code || undefined}
      dir="auto"
      onInput={(event) => {
        setDraft(event.currentTarget.value);
        onChange(event.currentTarget.value);
      }}
      onBlur={leave}
    />
  );
}

/** ColorField edits a colour with a picker or as CSS. */
export function ColorField({ label, value, onChange, onDone }: ControlProps) {
  const { shown, setDraft, leave } = useDraft(value === '#00000000' ? '' : value, onDone);
  const isWrong = shown !== '' && !CSS.supports('color', shown);
  const take = (text: string) => {
    setDraft(text);
    if (text !== '' && CSS.supports('color', text)) onChange(text);
  };
  return (
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
  );
}

interface LengthProps extends ControlProps {
  property: string;
  /** short replaces the label visually; screen readers use the label. */
  short?: string;
}

/** LengthField edits a length. A bare number means pixels; the arrow keys change it. */
export function LengthField({ label, short, property, value, onChange, onDone }: LengthProps) {
  const { shown, setDraft, leave } = useDraft(brief(value), onDone);
  const isWrong = shown !== '' && !CSS.supports(property, withUnit(shown));
  const take = (text: string) => {
    setDraft(text);
    if (text.trim() !== '' && CSS.supports(property, withUnit(text))) onChange(withUnit(text));
  };
  const step = (event: KeyboardEvent) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const found = /^(-?\d*\.?\d+)(.*)$/.exec(shown.trim());
    if (!by || !found) return;
    event.preventDefault();
    const size = /^(rem|em)$/.test(found[2]!) ? 0.125 : event.shiftKey ? 10 : 1;
    const next = Number(found[1]) + by * size;
    take(`${Number((property.startsWith('margin') ? next : Math.max(0, next)).toFixed(3))}${found[2]}`);
  };
  return (
    <Field
      label={
        short ? (
          <>
            <span aria-hidden="true">{short}</span>
            <span class="visually-hidden">{label}</span>
          </>
        ) : (
          label
        )
      }
      error={isWrong ? t.preview.edit.invalid : undefined}
    >
      {(wiring) => (
        <input
          {...wiring}
          class="input"
          value={shown}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => take(event.currentTarget.value)}
          onKeyDown={step}
          onBlur={leave}
        />
      )}
    </Field>
  );
}

function withUnit(text: string): string {
  const value = text.trim();
  return /^-?\d*\.?\d+$/.test(value) && Number(value) !== 0 ? `${value}px` : value;
}

// brief omits the unit of pixels.
function brief(value: string): string {
  const short = value.replace(/\d+\.\d{2,}/g, (number) => String(Math.round(Number(number) * 10) / 10));
  return /^-?[\d.]+px$/.test(short) ? short.slice(0, -2) : short;
}

/** Choice is a group of a few options. */
export function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: [string, string][];
  onChange: (value: string) => void;
}) {
  return (
    <Select label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map(([name, words]) => (
        <option key={name} value={name}>
          {words}
        </option>
      ))}
    </Select>
  );
}
