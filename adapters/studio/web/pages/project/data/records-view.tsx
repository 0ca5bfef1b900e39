import { useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { DataCollection, DataRecord } from '~/api/types';
import { t } from '~/text';
import { Banner, Button, Empty, Failure, IconButton, Loading, TextField } from '~/ui';
import type { DataDesk } from './desk';
import { Grid } from './grid';
import { Head } from './head';
import { RecordForm } from './record-form';
import { RecordList } from './records';
import { Rules } from './rules-view';
import { Tip } from './tips';
import { Transfer } from './transfer';

/** Records shows the records of a collection as a table. */
export function Records({ desk, name }: { desk: DataDesk; name: string }) {
  const list = useMemo(() => new RecordList(desk, name), []);
  const [open, setOpen] = useState<DataRecord | 'new' | null>(null);
  useEffect(() => () => list.stop(), []);
  useSignalEffect(() => {
    void desk.changes.value;
    desk.labels.forget();
    void list.refresh();
  });
  const known = useMemo(() => desk.news.peek(), []);
  useSignalEffect(() => {
    if (desk.news.value !== known) void list.renew();
  });
  const collection = desk.collection(name);
  if (!collection) return null;
  return (
    <section class="records" aria-labelledby="collection">
      <Head desk={desk} id="collection" title={name}>
        <span class="badge">{t.data.types[collection.type]}</span>
        {desk.env.value === 'live' && <span class="badge badge--warning">{t.data.envs.live}</span>}
      </Head>
      <Tip name="environment" />
      <Tip name="collection" after="environment" />
      <Rules desk={desk} collection={collection} />
      <Tip name="rule" after="collection" />
      <Toolbar list={list} collection={collection} onNew={() => setOpen('new')} />
      {list.outdated.value && (
        <Banner
          actions={
            <Button small icon="reload" onClick={() => void desk.reload()}>
              {t.data.showChanges}
            </Button>
          }
        >
          {t.data.changedByOthers}
        </Banner>
      )}
      <Body list={list} onOpen={setOpen} onNew={() => setOpen('new')} />
      {open && (
        <RecordForm
          list={list}
          collection={collection}
          record={open === 'new' ? null : open}
          onClose={() => setOpen(null)}
        />
      )}
    </section>
  );
}

interface ToolbarProps {
  list: RecordList;
  collection: DataCollection;
  onNew: () => void;
}

// The search is debounced.
const rest = 300;

function Toolbar({ list, collection, onNew }: ToolbarProps) {
  const { desk } = list;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const find = (event: Event) => {
    event.preventDefault();
    clearTimeout(timer.current);
    void list.restart();
  };
  const isWritable = collection.type !== 'view' && desk.canChange.value;
  return (
    <div class="records__bar">
      <form role="search" class="records__search" onSubmit={find}>
        <TextField
          label={t.data.search}
          hideLabel
          type="search"
          placeholder={t.data.searchHint}
          value={list.search.value}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) => {
            list.search.value = event.currentTarget.value;
            clearTimeout(timer.current);
            timer.current = setTimeout(() => void list.restart(), rest);
          }}
        />
      </form>
      <IconButton
        icon="code"
        label={desk.system.value ? t.data.hideSystem : t.data.showSystem}
        onClick={() => desk.showSystem(!desk.system.value)}
      />
      <IconButton icon="reload" label={t.data.reload} onClick={() => void desk.reload()} />
      <Transfer list={list} canImport={isWritable} />
      {isWritable && (
        <Button icon="add" onClick={onNew}>
          {t.data.newRecord}
        </Button>
      )}
    </div>
  );
}

function Body({ list, onOpen, onNew }: { list: RecordList; onOpen: (record: DataRecord) => void; onNew: () => void }) {
  const { desk } = list;
  const total = list.total.value;
  const error = list.error.value;
  const isWritable = desk.canChange.value && desk.collection(list.collection)?.type !== 'view';
  return (
    <>
      {Boolean(error) && (
        <div class="data__message">
          <Failure error={error} retry={() => void list.refresh()} />
        </div>
      )}
      {total === null && !error && <Loading />}
      {total === 0 && !error && <Nothing list={list} onNew={isWritable ? onNew : undefined} />}
      {total !== null && total > 0 && <Grid list={list} total={total} onOpen={onOpen} />}
    </>
  );
}

function Nothing({ list, onNew }: { list: RecordList; onNew?: () => void }) {
  if (list.search.value.trim() !== '')
    return (
      <Empty icon="search" title={t.data.notFound}>
        {t.data.notFoundHint}
      </Empty>
    );
  return (
    <Empty
      icon="database"
      title={t.data.empty}
      actions={
        onNew && (
          <Button icon="add" onClick={onNew}>
            {t.data.newRecord}
          </Button>
        )
      }
    >
      {t.data.emptyHint}
    </Empty>
  );
}
