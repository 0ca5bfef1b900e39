import { useId } from 'preact/hooks';

import { Icon, type IconName } from '~/ui';

export interface Choice<Value extends string> {
  value: Value;
  label: string;
  hint: string;
  icon: IconName;
  /** picture is shown above the words, in the place of the icon. */
  picture?: string;
}

interface ChoicesProps<Value extends string> {
  label: string;
  items: Choice<Value>[];
  chosen: Value;
  choose: (value: Value) => void;
}

/** Choices is a radio group of cards, for a few options with descriptions. */
export function Choices<Value extends string>({ label, items, chosen, choose }: ChoicesProps<Value>) {
  const name = useId();
  return (
    <fieldset class="choices">
      <legend class="visually-hidden">{label}</legend>
      {items.map((item) => (
        <label key={item.value} class={item.picture ? 'choice choice--picture' : 'choice'}>
          <input
            class="visually-hidden"
            type="radio"
            name={name}
            value={item.value}
            checked={item.value === chosen}
            autofocus={item.value === chosen}
            onChange={() => choose(item.value)}
          />
          {item.picture ? (
            <img src={item.picture} alt="" width={640} height={400} loading="lazy" decoding="async" />
          ) : (
            <Icon name={item.icon} />
          )}
          <span class="choice__words">
            <span class="choice__label">{item.label}</span>
            <span class="choice__hint">{item.hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
