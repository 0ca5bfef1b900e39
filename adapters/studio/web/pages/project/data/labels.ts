// The labels of records in relation fields.

import { type ReadonlySignal, signal } from '@preact/signals';

import { api } from '~/api/client';
import type { DataCollection, DataEnv, DataField, DataRecord, Page } from '~/api/types';
import { labelOf, listOf, quoted } from './values';

// The number of records per request, limited by the length of a URL.
const most = 40;

/** Source gives the addresses of the records. */
interface Source {
  env: ReadonlySignal<DataEnv>;
  /** of returns an address below a collection. */
  of: (collection: string, rest: string) => string;
  collection: (name: string) => DataCollection | undefined;
}

/** Labels loads the labels of records, once each. */
export class Labels {
  private readonly known = signal<ReadonlyMap<string, string>>(new Map());
  private readonly asked = new Set<string>();

  constructor(private readonly source: Source) {}

  /** of returns a record's label, or its id until the label is known. */
  of(collection: string | undefined, id: string): string {
    return this.known.value.get(this.key(collection, id)) ?? id;
  }

  private key(collection: string | undefined, id: string): string {
    return `${this.source.env.value}/${collection}/${id}`;
  }

  /** keep caches the labels of loaded records. */
  keep(collection: string, records: DataRecord[]): void {
    const next = new Map(this.known.peek());
    for (const record of records)
      next.set(this.key(collection, record.id), labelOf(record, this.source.collection(collection)));
    this.known.value = next;
  }

  /** forget clears the cache after records have changed elsewhere. */
  forget(): void {
    this.asked.clear();
  }

  /** want loads the labels of the records that the given records refer to. */
  want(fields: DataField[], records: DataRecord[]): void {
    for (const { name, type, collection } of fields) {
      if (type !== 'relation' || !collection) continue;
      const ids = new Set(records.flatMap((record) => listOf(record[name])));
      const missing = [...ids].filter((id) => !this.asked.has(this.key(collection, id)));
      for (const id of missing) this.asked.add(this.key(collection, id));
      for (let from = 0; from < missing.length; from += most)
        void this.find(collection, missing.slice(from, from + most));
    }
  }

  private async find(collection: string, ids: string[]): Promise<void> {
    const filter = ids.map((id) => `id = ${quoted(id)}`).join(' || ');
    try {
      const query = { filter, limit: most };
      const { items } = await api.get<Page<DataRecord>>(this.source.of(collection, 'records'), { query });
      this.keep(collection, items);
    } catch {
      // The id is shown instead.
    }
  }
}
