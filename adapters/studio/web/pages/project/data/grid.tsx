import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { DataField, DataRecord } from '~/api/types';
import { t } from '~/text';
import { Icon, Spinner } from '~/ui';
import { useVisibleRows } from '~/ui/rows';
import { Cell } from './cell';
import type { RecordList } from './records';
import { isSortable } from './values';

const rowHeight = matchMedia('(pointer: coarse)').matches ? 44 : 36;
// The next page loads when fewer rows than this remain below.
const ahead = 30;

interface GridProps {
  list: RecordList;
  items: DataRecord[];
  onOpen: (record: DataRecord) => void;
}

/** Grid shows records as a table and loads more while scrolling. */
export function Grid({ list, items, onOpen }: GridProps) {
  const fields = list.fields.value;
  const { box, from, to, bring } = useVisibleRows(items.length, rowHeight);
  const [active, setActive] = useState<string | null>(null);
  const at = Math.max(
    0,
    items.findIndex(({ id }) => id === active),
  );
  useEffect(() => {
    if (to + ahead >= items.length) void list.next();
  }, [to, items]);
  const go = (index: number) => {
    const next = Math.min(items.length - 1, Math.max(0, index));
    setActive(items[next]!.id);
    bring(next, box.current!.querySelector('.grid__head')!.clientHeight);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.target !== box.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(box.current!.clientHeight / rowHeight) - 2);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -items.length, End: items.length };
    if (event.key in step) go(at + step[event.key as keyof typeof step]);
    else if (event.key === 'Enter' || event.key === ' ') onOpen(items[at]!);
    else return;
    event.preventDefault();
  };
  const columns = fields.map(widthOf);
  const width = columns.reduce((all, each) => all + each, idWidth);
  const template = [...columns.map((each) => `minmax(${each}px, ${each}fr)`), `${idWidth}px`].join(' ');
  return (
    <div
      ref={box}
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label={t.data.recordsOf(list.collection)}
      aria-rowcount={list.total.value + 1}
      aria-activedescendant={at >= from && at < to ? idOf(items[at]!) : undefined}
      onKeyDown={onKey}
    >
      <div class="grid__head" role="rowgroup" style={{ minWidth: `${width}px` }}>
        <div class="grid__row" role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
          {fields.map((field) => (
            <Heading key={field.name} list={list} field={field} />
          ))}
          <div class="grid__cell" role="columnheader">
            id
          </div>
        </div>
      </div>
      <div
        class="grid__body"
        role="rowgroup"
        style={{ minWidth: `${width}px`, height: `${items.length * rowHeight}px` }}
      >
        {items.slice(from, to).map((record, index) => (
          <Row
            key={record.id}
            record={record}
            index={from + index}
            active={record.id === items[at]!.id}
            template={template}
            onOpen={() => {
              setActive(record.id);
              onOpen(record);
            }}
          >
            {fields.map((field) => (
              <div key={field.name} class="grid__cell" role="gridcell">
                <Cell labels={list.desk.labels} field={field} value={record[field.name]} />
              </div>
            ))}
          </Row>
        ))}
      </div>
      {list.loading.value && list.more.value && (
        <div class="grid__more">
          <Spinner />
        </div>
      )}
    </div>
  );
}

interface RowProps {
  record: DataRecord;
  index: number;
  active: boolean;
  template: string;
  onOpen: () => void;
  children: ComponentChildren;
}

function Row({ record, index, active, template, onOpen, children }: RowProps) {
  return (
    <div
      id={idOf(record)}
      class={active ? 'grid__row grid__row--active' : 'grid__row'}
      role="row"
      aria-rowindex={index + 2}
      style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px`, gridTemplateColumns: template }}
      onClick={onOpen}
    >
      {children}
      <div class="grid__cell grid__cell--id" role="gridcell">
        {record.id}
      </div>
    </div>
  );
}

const idOf = (record: DataRecord) => `record-${record.id}`;

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
