import type { SchemaPlan, SchemaStep } from '~/api/types';
import { list, t } from '~/text';

/** lossOf counts the records and the values that a plan removes. */
export function lossOf({ steps }: SchemaPlan): { records: number; values: number } {
  const sum = (of: SchemaStep[]) => of.reduce((all, { records }) => all + records, 0);
  const losing = steps.filter(({ loses }) => loses);
  return { records: sum(losing.filter(isWhole)), values: sum(losing.filter((step) => !isWhole(step))) };
}

function isWhole({ kind, field }: SchemaStep): boolean {
  return kind === 'drop' && !field;
}

/** lossInWords formats a loss, such as "12 values and 3 records". */
export function lossInWords(plan: SchemaPlan): string {
  const { records, values } = lossOf(plan);
  const parts = [values > 0 && t.data.values(values), records > 0 && t.data.records(records)].filter(
    (part) => part !== false,
  );
  return parts.length > 0 ? list(parts) : t.data.values(0);
}

/** Loss lists the steps of a plan that lose data. */
export function Loss({ plan }: { plan: SchemaPlan }) {
  const losing = plan.steps.filter(({ loses }) => loses);
  const others = plan.steps.length - losing.length;
  return (
    <ul class="loss">
      {losing.map((step, index) => (
        <li key={index}>{inWords(step)}</li>
      ))}
      {others > 0 && <li class="soft">{t.data.harmless(others)}</li>}
    </ul>
  );
}

function inWords({ kind, collection, field, records, text }: SchemaStep): string {
  if (!field) return kind === 'drop' ? t.data.dropsCollection(collection, records) : text;
  return kind === 'drop'
    ? t.data.dropsField(collection, field, records)
    : t.data.changesField(collection, field, records);
}
