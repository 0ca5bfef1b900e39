// The records of a collection. The pages in sight are loaded.

import { batch, computed, signal } from '@preact/signals';

import { ApiError, api } from '~/api/client';
import type { DataField, DataRecord, Page } from '~/api/types';
import type { DataDesk } from './desk';
import { type Gap, gapIn, type Pages, pageSize, rowAt, withChanged, withRows } from './pages';
import { fieldsOf, filterOf } from './values';

/** RecordPage is a page of records. total counts all matches of the filter. */
interface RecordPage extends Page<DataRecord> {
  total: number;
}

/** Order is the sort field and direction. */
export interface Order {
  field: string;
  down: boolean;
}

/** RecordList is a collection as the filter and the order show it. Only what is in sight is loaded. */
export class RecordList {
  /** total counts the matches of the search, and is null until it is known. */
  readonly total = signal<number | null>(null);
  readonly error = signal<unknown>(null);
  /** outdated is true after changes by others that the list does not show yet. */
  readonly outdated = signal(false);
  readonly order = signal<Order | null>(null);
  /** search is the text in the search field. */
  readonly search = signal('');
  /** start counts how often the list began anew: with another search or order. */
  readonly start = signal(0);
  readonly fields;

  private readonly pages = signal<Pages<DataRecord>>(new Map());
  private sight = { from: 0, to: pageSize };
  private begins = false;
  private call: AbortController | null = null;

  constructor(
    readonly desk: DataDesk,
    readonly collection: string,
  ) {
    this.fields = computed<DataField[]>(() => {
      const collection = desk.collection(this.collection);
      return collection ? fieldsOf(collection, sampleOf(this.pages.value)) : [];
    });
  }

  /** at returns a record by its place, or undefined while it is not loaded. */
  at(index: number): DataRecord | undefined {
    return rowAt(this.pages.value, index);
  }

  /** see loads the records [from, to) if they are missing. */
  see(from: number, to: number): void {
    this.sight = { from, to };
    if (!this.call && this.error.peek() === null) void this.load(false);
  }

  /** refresh loads what is in sight anew, and keeps the old records until then. */
  async refresh(): Promise<void> {
    this.outdated.value = false;
    // The field may no longer exist in the schema.
    const order = this.order.peek();
    if (order && this.fields.peek().every(({ name }) => name !== order.field)) this.order.value = null;
    await this.load(true);
  }

  /** restart shows another search or order, from the first record. */
  async restart(): Promise<void> {
    this.sight = { from: 0, to: pageSize };
    this.begins = true;
    await this.refresh();
  }

  /** renew takes up changes by others, unless records would move under the eyes of a reader. */
  async renew(): Promise<void> {
    if (this.sight.from < pageSize) await this.refresh();
    else this.outdated.value = true;
  }

  // load fills the gaps in sight one after the other. What scrolls out of sight meanwhile is
  // left out. anew drops what was loaded before.
  private async load(anew: boolean): Promise<void> {
    this.call?.abort();
    const call = new AbortController();
    this.call = call;
    this.error.value = null;
    try {
      let replaces = anew;
      for (let gap = this.gap(anew); gap; gap = this.gap(false)) {
        const { items, total } = await this.fetch(gap, call.signal);
        if (call.signal.aborted) return;
        this.take(gap, items, total, replaces);
        replaces = false;
      }
    } catch (error) {
      if (call.signal.aborted) return;
      this.error.value = error;
      // The collection is not live yet: publishing creates it.
      if (error instanceof ApiError && error.status === 404) this.total.value = null;
    } finally {
      if (this.call === call) this.call = null;
    }
  }

  private gap(anew: boolean): Gap | undefined {
    const total = this.total.peek();
    const page = Math.floor(Math.min(this.sight.from, Math.max(0, (total ?? 0) - 1)) / pageSize);
    if (anew || total === null) return { page, skip: page * pageSize, limit: pageSize };
    return gapIn(this.pages.peek(), this.sight.from, this.sight.to, total);
  }

  private take({ page, skip }: Gap, items: DataRecord[], total: number, anew: boolean): void {
    batch(() => {
      this.pages.value = withRows(anew ? new Map() : this.pages.peek(), page, items);
      // Records went meanwhile.
      this.total.value = items.length === 0 ? Math.min(total, skip) : total;
      if (this.begins) this.start.value += 1;
      this.begins = false;
    });
    this.desk.labels.want(this.fields.peek(), items);
  }

  private fetch({ skip, limit }: Gap, stop: AbortSignal): Promise<RecordPage> {
    const collection = this.desk.collection(this.collection);
    const order = this.order.peek();
    return api.get(this.desk.of(this.collection, 'records'), {
      query: {
        limit,
        skip,
        filter: collection && filterOf(this.search.peek(), collection, sampleOf(this.pages.peek())),
        sort: order && `${order.down ? '-' : ''}${order.field}`,
      },
      signal: stop,
    });
  }

  /** sort cycles a field through ascending, descending and unsorted. */
  sort(field: string): void {
    const now = this.order.peek();
    this.order.value = now?.field !== field ? { field, down: false } : now.down ? null : { field, down: true };
    void this.restart();
  }

  /** put shows a record that was changed in the form. */
  put(record: DataRecord): void {
    this.desk.labels.want(this.fields.peek(), [record]);
    this.pages.value = withChanged(this.pages.peek(), (one) => (one.id === record.id ? record : one));
  }

  /** stop aborts loading. */
  stop(): void {
    this.call?.abort();
  }
}

// sampleOf returns any loaded record. The fields of a view are those of its records.
function sampleOf(pages: Pages<DataRecord>): DataRecord | undefined {
  return pages.values().next().value?.[0];
}
