import { useState } from 'preact/hooks';

import { speak } from '~/app/session';
import { setTheme, theme } from '~/app/theme';
import { currentLanguage, languages, nameOf, t } from '~/text';
import { complain } from '~/ui';

/** Appearance sets the studio's colour scheme and language in this browser. */
export function Appearance() {
  const [current, setCurrent] = useState(theme());
  return (
    <div class="card settings__card">
      <Radios
        label={t.shell.theme}
        hint={t.settings.themeHint}
        name="theme"
        current={current}
        items={(['system', 'light', 'dark'] as const).map((value) => ({ value, label: t.shell.themes[value] }))}
        choose={(value) => {
          setTheme(value);
          setCurrent(value);
        }}
      />
      <Radios
        label={t.shell.language}
        hint={t.settings.languageHint}
        name="language"
        current={currentLanguage()}
        items={languages.map((value) => ({ value, label: nameOf(value), lang: value }))}
        choose={(language) => void speak(language).catch(complain)}
      />
    </div>
  );
}

interface RadiosProps<Value extends string> {
  label: string;
  hint: string;
  name: string;
  items: { value: Value; label: string; lang?: string }[];
  current: Value;
  choose: (value: Value) => void;
}

function Radios<Value extends string>({ label, hint, name, items, current, choose }: RadiosProps<Value>) {
  return (
    <fieldset class="radios" aria-describedby={`${name}-hint`}>
      <legend class="field__label">{label}</legend>
      <div class="radios__items">
        {items.map((item) => (
          <label key={item.value} class="radio">
            <input
              type="radio"
              name={name}
              value={item.value}
              checked={item.value === current}
              onChange={() => choose(item.value)}
            />
            <span lang={item.lang}>{item.label}</span>
          </label>
        ))}
      </div>
      <p class="field__hint" id={`${name}-hint`}>
        {hint}
      </p>
    </fieldset>
  );
}
