import type { DataField } from '~/api/types';
import { number } from '~/text';
import { Icon } from '~/ui';
import type { Labels } from './labels';
import { listOf, momentOf } from './values';

// Longer texts do not fit into a cell.
const longest = 200;

/** Cell shows a value on one line. */
export function Cell({ labels, field, value }: { labels: Labels; field: DataField; value: unknown }) {
  if (value === null || value === undefined || value === '') return null;
  switch (field.type) {
    case 'bool':
      return value === true ? (
        <span class="grid__yes">
          <Icon name="check" />
          <span class="visually-hidden">true</span>
        </span>
      ) : (
        <span class="faint">–</span>
      );
    case 'number':
      return (
        <span class="grid__number">
          {typeof value === 'number' ? number(value, { maximumFractionDigits: 20 }) : String(value)}
        </span>
      );
    case 'date':
    case 'autodate':
      return <time dateTime={String(value)}>{momentOf(String(value))}</time>;
    case 'select':
      return (
        <>
          {listOf(value).map((one) => (
            <span key={one} class="badge">
              {one}
            </span>
          ))}
        </>
      );
    case 'relation':
      return (
        <>
          {listOf(value).map((id) => (
            <span key={id} class="reference">
              <bdi>{labels.of(field.collection, id)}</bdi>
            </span>
          ))}
        </>
      );
    case 'file':
      return (
        <>
          {listOf(value).map((name) => (
            <span key={name} class="reference">
              <Icon name="file" />
              <bdi>{name}</bdi>
            </span>
          ))}
        </>
      );
  }
  return <bdi>{(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, longest)}</bdi>;
}
