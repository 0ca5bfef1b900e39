import Eye from 'lucide/dist/esm/icons/eye.mjs';
import EyeOff from 'lucide/dist/esm/icons/eye-off.mjs';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { t } from '~/text';
import { IconButton } from './button';
import { Field } from './field';

interface PasswordFieldProps extends Omit<JSX.IntrinsicElements['input'], 'label' | 'id' | 'type'> {
  label: string;
  hint?: string;
  error?: string;
}

/** PasswordField is an input for a password, which a button shows and hides. */
export function PasswordField({ label, hint, error, ...input }: PasswordFieldProps) {
  const [shown, show] = useState(false);
  return (
    <Field label={label} hint={hint} error={error}>
      {(wiring) => (
        <span class="secret">
          <input
            {...({ ...input, type: shown ? 'text' : 'password', spellcheck: false, autocapitalize: 'off' } as object)}
            {...wiring}
            class="input"
          />
          <IconButton
            small
            icon={shown ? EyeOff : Eye}
            label={shown ? t.shell.hidePassword : t.shell.showPassword}
            onClick={() => show(!shown)}
          />
        </span>
      )}
    </Field>
  );
}
