import type { ComponentChildren, JSX, Ref } from 'preact';
import { useContext, useId } from 'preact/hooks';

import { Complaints } from './complaints';

interface FieldProps {
  label: ComponentChildren;
  hint?: ComponentChildren;
  error?: string;
  /** hideLabel shows the label to screen readers only. */
  hideLabel?: boolean;
}

interface Wiring {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: 'true';
}

/** Field adds a label, a hint and an error to an input, linked by ARIA attributes. */
export function Field({
  label,
  hint,
  error: told,
  hideLabel,
  children,
}: FieldProps & { children: (wiring: Wiring) => ComponentChildren }) {
  const id = useId();
  const error = useContext(Complaints)[id] || told;
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
  return (
    <div class="field">
      <label class={hideLabel ? 'visually-hidden' : 'field__label'} for={id}>
        {label}
      </label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': error ? 'true' : undefined })}
      {hint && (
        <p class="field__hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="field__error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

type Extra<Tag extends keyof JSX.IntrinsicElements> = FieldProps & Omit<JSX.IntrinsicElements[Tag], 'label' | 'id'>;

/** TextField is a single-line text input; field is the input's ref. */
export function TextField({
  label,
  hint,
  error,
  hideLabel,
  field,
  ...input
}: Extra<'input'> & { field?: Ref<HTMLInputElement> }) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel}>
      {(wiring) => <input {...(input as object)} {...wiring} ref={field} class="input" />}
    </Field>
  );
}

/** TextArea is a text input of several lines; code makes it monospaced. */
export function TextArea({ label, hint, error, hideLabel, code, ...input }: Extra<'textarea'> & { code?: boolean }) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel}>
      {(wiring) => <textarea {...(input as object)} {...wiring} class={code ? 'input input--code' : 'input'} />}
    </Field>
  );
}

/** Select is a dropdown. Its children are options. */
export function Select({ label, hint, error, hideLabel, children, ...input }: Extra<'select'>) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel}>
      {(wiring) => (
        <select {...(input as object)} {...wiring} class="input">
          {children}
        </select>
      )}
    </Field>
  );
}

export function Checkbox({
  label,
  hint,
  ...input
}: { label: ComponentChildren; hint?: ComponentChildren } & Omit<JSX.IntrinsicElements['input'], 'label'>) {
  return (
    <label class="check">
      <input {...(input as object)} type="checkbox" />
      <span>
        {label}
        {hint && (
          <span class="field__hint">
            <br />
            {hint}
          </span>
        )}
      </span>
    </label>
  );
}
