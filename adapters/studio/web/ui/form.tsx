import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { t } from '~/text';
import { Complaints } from './complaints';

type Input = HTMLInputElement | HTMLTextAreaElement;

/**
 * Form checks its fields in the studio's own words instead of the browser's bubbles, which
 * are in the browser's language. Each message is shown at its field; the first field with
 * one gets the focus.
 */
export function Form({ onSubmit, children }: { onSubmit: () => void; children: ComponentChildren }) {
  const [told, tell] = useState<Record<string, string>>({});
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const wrong = fieldsOf(event.currentTarget as HTMLFormElement).filter((field) => complaint(field) !== '');
    tell(Object.fromEntries(wrong.map((field) => [field.id, complaint(field)])));
    if (wrong[0]) wrong[0].focus();
    else onSubmit();
  };
  // A complaint goes away with the mistake, and not while somebody types for the first time.
  const onInput = (event: Event) => {
    const field = event.target as Input;
    if (told[field.id]) tell({ ...told, [field.id]: complaint(field) });
  };
  return (
    <Complaints.Provider value={told}>
      <form class="form" noValidate onSubmit={submit} onInput={onInput}>
        {children}
      </form>
    </Complaints.Provider>
  );
}

function fieldsOf(form: HTMLFormElement): Input[] {
  return [...form.elements].filter(
    (element): element is Input => element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement,
  );
}

// complaint returns what is wrong with a field, "" for nothing. The browser checks the length
// only of what was typed, not of what a password manager has filled in.
function complaint(field: Input): string {
  const { validity, minLength, value } = field;
  if (validity.valueMissing) return field.type === 'email' ? t.shell.checks.emailMissing : t.shell.checks.missing;
  if (validity.typeMismatch) return t.shell.checks.email;
  if (minLength > 0 && [...value].length < minLength) return t.shell.checks.short(minLength, [...value].length);
  return '';
}
