import type { QuotaName, Quotas } from '~/api/types';
import { t } from '~/text';
import { TextField } from '~/ui';

/** quotaNames are the quotas in the order in which people see them. */
export const quotaNames: QuotaName[] = ['projectsPerWorkspace', 'membersPerWorkspace', 'bytesPerProject', 'runsAtOnce'];

/** TypedQuotas are quotas as people type them; sizes are in megabytes. */
export type TypedQuotas = Record<QuotaName, string>;

// units are how many of what the server counts make one of what people type.
const units: Record<QuotaName, number> = {
  projectsPerWorkspace: 1,
  membersPerWorkspace: 1,
  bytesPerProject: 1e6,
  runsAtOnce: 1,
};

export function typedQuotas(quotas: Quotas): TypedQuotas {
  const typed = (name: QuotaName) => {
    const value = quotas[name];
    return value === null ? '' : String(value / units[name]);
  };
  return Object.fromEntries(quotaNames.map((name) => [name, typed(name)])) as TypedQuotas;
}

/** changedQuotas returns what differs, because fixed quotas may not be sent; empty is the default. */
export function changedQuotas(before: Quotas, typed: TypedQuotas): Partial<Quotas> {
  const old = typedQuotas(before);
  const value = (name: QuotaName) => (typed[name] === '' ? null : Math.round(Number(typed[name]) * units[name]));
  const changed = quotaNames.filter((name) => typed[name] !== old[name]);
  return Object.fromEntries(changed.map((name) => [name, value(name)])) as Partial<Quotas>;
}

interface QuotaFieldsProps {
  typed: TypedQuotas;
  onChange: (typed: TypedQuotas) => void;
  hint: (name: QuotaName) => string;
  fixed?: Record<string, string>;
}

/** QuotaFields edits quotas. */
export function QuotaFields({ typed, onChange, hint, fixed = {} }: QuotaFieldsProps) {
  const fields = quotaNames.map((name) => {
    const variable = fixed[`quotas.${name}`];
    const isSize = name === 'bytesPerProject';
    return (
      <TextField
        key={name}
        label={t.admin.quotas.labels[name]}
        hint={variable ? t.admin.settings.fixed(variable) : hint(name)}
        type="number"
        min={isSize ? 2 : 1}
        max={isSize ? 1e9 : 1e6}
        step={isSize ? 'any' : 1}
        inputMode={isSize ? 'decimal' : 'numeric'}
        readOnly={variable !== undefined}
        value={typed[name]}
        onInput={({ currentTarget }) => onChange({ ...typed, [name]: currentTarget.value })}
      />
    );
  });
  return <>{fields}</>;
}
