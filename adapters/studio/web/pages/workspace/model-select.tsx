import type { Model } from '~/api/types';
import { modelNotes } from '~/pages/model-notes';
import { t } from '~/text';
import { Select, TextField } from '~/ui';

interface ModelSelectProps {
  label: string;
  /** A model without a name is labelled with its id. */
  models: (Model & { name?: string })[];
  value: string;
  /** empty is the label of the empty option, if there is one. */
  empty?: string;
  hint?: string;
  onChange: (model: string) => void;
}

/**
 * ModelSelect selects one of a provider's models. It keeps a selected model that is not on
 * the list.
 */
export function ModelSelect({ label, models, value, empty, hint, onChange }: ModelSelectProps) {
  const known = value === '' || models.some(({ id }) => id === value);
  return (
    <Select label={label} hint={hint} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {empty && <option value="">{empty}</option>}
      {!known && <option value={value}>{value}</option>}
      {models.map((model) => (
        <option key={model.id} value={model.id}>
          {nameOf(model)}
        </option>
      ))}
    </Select>
  );
}

/** ModelField is a ModelSelect, or a text field if the models are unknown. */
export function ModelField(props: ModelSelectProps) {
  if (props.models.length > 0) return <ModelSelect {...props} />;
  return (
    <TextField
      label={props.label}
      hint={t.workspace.providers.modelTyped}
      maxLength={200}
      spellcheck={false}
      autocomplete="off"
      value={props.value}
      onInput={(event) => props.onChange(event.currentTarget.value)}
    />
  );
}

// nameOf labels a model with the facts that matter for choosing it.
function nameOf(model: Model & { name?: string }): string {
  return `${model.name ?? model.id} (${modelNotes(model).join(', ')})`;
}
