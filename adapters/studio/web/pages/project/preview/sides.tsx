import { useState } from 'preact/hooks';

import { t } from '~/text';
import { Checkbox } from '~/ui';
import { LengthField } from './controls';

const sides = ['top', 'right', 'bottom', 'left'] as const;

interface SidesProps {
  name: 'padding' | 'margin';
  styles: Record<string, string>;
  set: (property: string, value: string) => void;
  commit: () => void;
}

/** Sides edits the space on four sides, of each by itself or of all together. */
export function Sides({ name, styles, set, commit }: SidesProps) {
  const words = t.preview.edit;
  const values = sides.map((side) => styles[`${name}-${side}`] ?? '');
  const [linked, link] = useState(values.every((value) => value === values[0]));
  return (
    <fieldset class="editor__sides" data-linked={linked || undefined}>
      <legend>{words[name]}</legend>
      {linked ? (
        <LengthField
          label={`${words[name]}: ${words.allSides}`}
          short={words.allSides}
          property={name}
          value={values[0]!}
          onChange={(value) => set(name, value)}
          onDone={commit}
        />
      ) : (
        sides.map((side, index) => (
          <LengthField
            key={side}
            label={`${words[name]} ${words.sides[side]}`}
            short={words.sides[side]}
            property={`${name}-${side}`}
            value={values[index]!}
            onChange={(value) => set(`${name}-${side}`, value)}
            onDone={commit}
          />
        ))
      )}
      <Checkbox
        label={
          <>
            <span class="visually-hidden">{`${words[name]}: `}</span>
            {words.link}
          </>
        }
        checked={linked}
        onChange={(event) => link(event.currentTarget.checked)}
      />
    </fieldset>
  );
}
