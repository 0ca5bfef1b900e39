import { useId } from 'preact/hooks';

import type { ProviderKind } from '~/api/types';
import { t } from '~/text';
import { Icon } from '~/ui';
import { providerKinds } from './provider-kinds';

interface KindChoiceProps {
  kinds?: ProviderKind[];
  value: ProviderKind;
  onChange: (kind: ProviderKind) => void;
}

/** KindChoice selects the kind of a provider. */
export function KindChoice({ kinds, value, onChange }: KindChoiceProps) {
  const name = useId();
  return (
    <fieldset class="kinds">
      <legend class="field__label">{t.workspace.providers.kind}</legend>
      {providerKinds()
        .filter(({ kind }) => kinds?.includes(kind) ?? true)
        .map(({ kind, icon, label, hint }) => (
          <label key={kind} class="option">
            <input
              type="radio"
              class="visually-hidden"
              name={name}
              checked={kind === value}
              onChange={() => onChange(kind)}
            />
            <span class="option__icon">
              <Icon name={icon} />
            </span>
            <span class="option__text">
              <strong>{label}</strong>
              <span>{hint}</span>
            </span>
          </label>
        ))}
    </fieldset>
  );
}
