import { useEffect, useState } from 'preact/hooks';

import { api } from '~/api/client';
import type { DataRecord, Page } from '~/api/types';
import { t } from '~/text';
import { complain, Finder } from '~/ui';
import type { DataDesk } from './desk';
import { filterOf, labelOf } from './values';

interface RecordFinderProps {
  desk: DataDesk;
  collection: string;
  onPick: (record: DataRecord) => void;
  onClose: () => void;
}

/** RecordFinder searches a collection for a record. */
export function RecordFinder({ desk, collection, onPick, onClose }: RecordFinderProps) {
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<DataRecord[] | null>(null);
  const target = desk.collection(collection);
  useEffect(() => {
    if (!target) return;
    const call = new AbortController();
    const timer = setTimeout(() => {
      api
        .get<Page<DataRecord>>(desk.of(collection, 'records'), {
          query: { limit: 20, filter: filterOf(query, target) },
          signal: call.signal,
        })
        .then(({ items }) => setFound(items), complain);
    }, 120);
    return () => {
      clearTimeout(timer);
      call.abort();
    };
  }, [query]);
  return (
    <Finder
      label={t.data.chooseFrom(collection)}
      hint={t.data.findHint}
      query={query}
      onQuery={setQuery}
      found={found ?? []}
      none={found ? t.data.notFound : t.shell.loading}
      row={(record) => (
        <>
          <bdi>{labelOf(record, target)}</bdi>
          <code class="finder__id">{record.id}</code>
        </>
      )}
      onPick={onPick}
      onClose={onClose}
    />
  );
}
