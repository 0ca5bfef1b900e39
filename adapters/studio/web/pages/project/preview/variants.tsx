import { t } from '~/text';
import { Checkbox, Select } from '~/ui';
import { type Styling, states, widths } from './styling';

/** VariantBar chooses the widths and the state for which styles are set. */
export function VariantBar({ styling }: { styling: Styling }) {
  const words = t.preview.edit.variants;
  return (
    <div class="editor__section editor__variants">
      <Select
        label={words.width}
        value={styling.width.value}
        onChange={(event) => {
          styling.width.value = event.currentTarget.value as (typeof widths)[number];
        }}
      >
        {widths.map((name) => (
          <option key={name} value={name}>
            {words.widths[name]}
          </option>
        ))}
      </Select>
      <Select
        label={words.state}
        value={styling.state.value}
        onChange={(event) => {
          styling.state.value = event.currentTarget.value as (typeof states)[number];
        }}
      >
        {states.map((name) => (
          <option key={name} value={name}>
            {words.states[name]}
          </option>
        ))}
      </Select>
      <Checkbox
        label={words.dark}
        checked={styling.dark.value}
        onChange={(event) => {
          styling.dark.value = event.currentTarget.checked;
        }}
      />
    </div>
  );
}
