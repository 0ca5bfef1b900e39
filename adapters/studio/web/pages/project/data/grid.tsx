import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

import type { DataField, DataRecord } from '~/api/types';
import { t } from '~/text';
import { Icon } from '~/ui';
import { useVisibleRows } from '~/ui/rows';
import { Cell } from './cell';
import type { RecordList } from './records';
import { isSortable, systemFields } from './values';

const rowHeight = matchMedia('(pointer: coarse)').matches ? 44 : 36;
// Browsers cut off taller elements.
const mostRows = Math.floor(30_000_000 / rowHeight);

interface GridProps {
  list: RecordList;
  /** total is the number of records, loaded or not. */
  total: number;
  onOpen: (record: DataRecord) => void;
}

/** Grid shows records as a table. Only the rows in sight are in the page and loaded. */
export function Grid({ list, total, onOpen }: GridProps) {
  const all = list.desk.system.value;
  const fields = list.fields.value.filter(({ name }) => all || !systemFields.includes(name));
  const count = Math.min(total, mostRows);
  const { box, from, to, bring } = useVisibleRows(count, rowHeight);
  const [active, setActive] = useState(0);
  const at = Math.min(active, count - 1);
  useEffect(() => list.see(from, to), [from, to, total]);
  useLayoutEffect(() => {
    box.current!.scrollTop = 0;
    setActive(0);
  }, [list.start.value]);
  const go = (index: number) => {
    const next = Math.min(count - 1, Math.max(0, index));
    setActive(next);
    bring(next, box.current!.querySelector('.grid__head')!.clientHeight);
  };
  const open = (index: number) => {
    const record = list.at(index);
    if (record) onOpen(record);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.target !== box.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(box.current!.clientHeight / rowHeight) - 2);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count };
    if (event.key in step) go(at + step[event.key as keyof typeof step]);
    else if (event.key === 'Enter' || event.key === ' ') open(at);
    else return;
    event.preventDefault();
  };
  const columns = fields.map(widthOf);
  const width = columns.reduce((sum, each) => sum + each, all ? idWidth : 0);
  const template = [...columns.map((each) => `minmax(${each}px, ${each}fr)`), ...(all ? [`${idWidth}px`] : [])].join(
    ' ',
  );
  return (
    <div
      ref={box}
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label={t.data.recordsOf(list.collection)}
      aria-rowcount={total + 1}
      aria-activedescendant={at >= from && at < to ? idOf(at) : undefined}
      onKeyDown={onKey}
    >
      <div class="grid__head" role="rowgroup" style={{ minWidth: `${width}px` }}>
        <div class="grid__row" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
          {fields.map((field) => (
            <Heading key={field.name} list={list} field={field} />
          ))}
          {all && (
            <div class="grid__cell" role="columnheader">
              id
            </div>
          )}
        </div>
      </div>
      <div class="grid__body" role="rowgroup" style={{ minWidth: `${width}px`, height: `${count * rowHeight}px` }}>
        {Array.from({ length: to - from }, (_, offset) => from + offset).map((index) => (
          <Row
            key={index}
            index={index}
            list={list}
            fields={fields}
            active={index === at}
            template={template}
            onOpen={() => {
              setActive(index);
              open(index);
            }}
          />
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  list: RecordList;
  index: number;
  fields: DataField[];
  active: boolean;
  template: string;
  onOpen: () => void;
}

// Row shows a record, or empty cells until it is loaded.
function Row({ list, index, fields, active, template, onOpen }: RowProps) {
  const record = list.at(index);
  return (
    <div
      id={idOf(index)}
      class={active ? 'grid__row grid__row--active' : 'grid__row'}
      role="row"
      aria-rowindex={index + 2}
      aria-busy={record ? undefined : true}
      style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px`, gridTemplateColumns: template }}
      onClick={onOpen}
    >
      {fields.map((field) => (
        <div key={field.name} class="grid__cell" role="gridcell">
          {record && <Cell labels={list.desk.labels} field={field} value={record[field.name]} />}
        </div>
      ))}
      {list.desk.system.value && (
        <div class="grid__cell grid__cell--id" role="gridcell">
          {record?.id}
        </div>
      )}
    </div>
  );
}

const idOf = (index: number) => `record-${index}`;

const idWidth = 160;

function widthOf({ type }: DataField): number {
  return (
    { bool: 90, number: 110, date: 190, autodate: 190, select: 130, json: 220, editor: 260, text: 200 }[type] ?? 180
  );
}

function Heading({ list, field }: { list: RecordList; field: DataField }) {
  const order = list.order.value?.field === field.name ? list.order.value : null;
  if (!isSortable(field))
    return (
      <div class="grid__cell" role="columnheader">
        {field.name}
      </div>
    );
  return (
    <div
      class="grid__cell"
      role="columnheader"
      aria-sort={order ? (order.down ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" class="grid__sort" title={t.data.sortBy(field.name)} onClick={() => list.sort(field.name)}>
        <span>{field.name}</span>
        {order && <Icon name={order.down ? 'down' : 'up'} />}
      </button>
    </div>
  );
}
