import { useRef, useState } from 'preact/hooks';

import { t } from '~/text';
import { Field, Select, TextArea } from '~/ui';

export interface ControlProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** onDone is called when the field loses the focus. */
  onDone: () => void;
}

// A focused field shows the typed text; otherwise it shows the page's value.
export function useDraft(value: string, onDone: () => void) {
  const [draft, setDraft] = useState<string | null>(null);
  const leave = () => {
    onDone();
    setDraft(null);
  };
  return { shown: draft ?? value, setDraft, leave };
}

/** LongField edits a value of several lines. */
export function LongField({
  label,
  value,
  code,
  readOnly,
  onChange,
  onDone,
}: ControlProps & { code?: boolean; readOnly?: boolean }) {
  const { shown, setDraft, leave } = useDraft(value, onDone);
  return (
    <TextArea
      label={label}
      hideLabel
      rows={code ? 2 : Math.min(6, Math.max(2, Math.ceil(shown.length / 32)))}
      value={shown}
      spellcheck={!code}
      readOnly={readOnly}
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

interface LengthProps extends ControlProps {
  property: string;
  /** short replaces the label visually; screen readers use the label. */
  short?: string;
}

/**
 * LengthField edits a length. A bare number means pixels. The arrow keys change it, and so
 * does dragging its label.
 */
export function LengthField({ label, short, property, value, onChange, onDone }: LengthProps) {
  const { shown, setDraft, leave } = useDraft(brief(value), onDone);
  const isWrong = shown !== '' && !CSS.supports(property, withUnit(shown));
  const take = (text: string) => {
    setDraft(text);
    if (text.trim() !== '' && CSS.supports(property, withUnit(text))) onChange(withUnit(text));
  };
  // Full and words have no next value.
  const parts = () => /^(-?\d*\.?\d+)(.*)$/.exec(shown.trim());
  const put = (number: number, unit: string) => {
    const least = property.startsWith('margin') ? number : Math.max(0, number);
    take(`${Number(least.toFixed(3))}${unit}`);
  };
  const step = (event: KeyboardEvent) => {
    const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const found = parts();
    if (!by || !found) return;
    event.preventDefault();
    put(Number(found[1]) + by * stepOf(found[2]!, event.shiftKey), found[2]!);
  };
  const scrub = useScrub(parts, put, leave);
  return (
    <Field
      label={
        <span class="scrub" {...scrub}>
          {short ? (
            <>
              <span aria-hidden="true">{short}</span>
              <span class="visually-hidden">{label}</span>
            </>
          ) : (
            label
          )}
        </span>
      }
      error={isWrong ? t.preview.edit.invalid : undefined}
    >
      {(wiring) => (
        <div class="length">
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
          {!short && <Unit label={label} parts={parts()} onChange={put} onDone={leave} />}
        </div>
      )}
    </Field>
  );
}

function stepOf(unit: string, isLarge: boolean): number {
  return /^(rem|em)$/.test(unit) ? 0.125 : isLarge ? 10 : 1;
}

type Put = (number: number, unit: string) => void;

// useScrub changes a number while its label is dragged. A click still goes to the field.
function useScrub(parts: () => RegExpExecArray | null, put: Put, leave: () => void) {
  const start = useRef<{ x: number; number: number; unit: string; moved: boolean } | null>(null);
  return {
    onPointerDown: (event: PointerEvent) => {
      const found = parts();
      if (!found || event.button !== 0) return;
      start.current = { x: event.clientX, number: Number(found[1]), unit: found[2]!, moved: false };
      (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      const from = start.current;
      const by = from ? Math.round((event.clientX - from.x) / 2) : 0;
      if (!from || (by === 0 && !from.moved)) return;
      from.moved = true;
      put(from.number + by * stepOf(from.unit, event.shiftKey), from.unit);
    },
    onPointerUp: () => {
      if (start.current?.moved) leave();
    },
    onClick: (event: MouseEvent) => {
      if (start.current?.moved) event.preventDefault();
      start.current = null;
    },
  };
}

const units = ['px', 'rem', '%'];

function Unit({
  label,
  parts,
  onChange,
  onDone,
}: {
  label: string;
  parts: RegExpExecArray | null;
  onChange: Put;
  onDone: () => void;
}) {
  const unit = parts?.[2] || 'px';
  if (!parts || !units.includes(unit)) return null;
  const number = Number(parts[1]);
  return (
    <select
      class="length__unit"
      aria-label={t.preview.edit.unit(label)}
      value={unit}
      onChange={(event) => {
        const next = event.currentTarget.value;
        const pixels = unit === 'rem' ? number * 16 : number;
        onChange(next === 'rem' ? pixels / 16 : next === '%' ? 100 : pixels, next === 'px' ? '' : next);
        onDone();
      }}
    >
      {units.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

/** NumberField edits a whole number from 0 to most. */
export function NumberField({
  label,
  value,
  most = 100,
  onChange,
  onDone,
}: Omit<ControlProps, 'onChange'> & { most?: number; onChange: (value: number) => void }) {
  const { shown, setDraft, leave } = useDraft(value, onDone);
  return (
    <Field label={label}>
      {(wiring) => (
        <input
          {...wiring}
          class="input"
          type="number"
          min={0}
          max={most}
          value={shown}
          onInput={(event) => {
            setDraft(event.currentTarget.value);
            const number = event.currentTarget.valueAsNumber;
            if (number >= 0 && number <= most) onChange(Math.round(number));
          }}
          onBlur={leave}
        />
      )}
    </Field>
  );
}

function isImmense(value: string): boolean {
  return value.includes('infinity') || Number.parseFloat(value) >= immense;
}

function withUnit(text: string): string {
  const value = text.trim();
  if (value === t.preview.edit.full) return `${roundest}px`;
  return /^-?\d*\.?\d+$/.test(value) && Number(value) !== 0 ? `${value}px` : value;
}

// A radius that rounds everything.
const roundest = 9999;

// Browsers compute an infinite length as the largest that they can hold.
const immense = 1e6;

// brief omits the unit of pixels. Infinite lengths are in words.
function brief(value: string): string {
  if (isImmense(value)) return t.preview.edit.full;
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
