// The records of a collection, page by page.

import { computed, signal } from '@preact/signals';

import { ApiError, api } from '~/api/client';
import type { DataField, DataRecord, Page } from '~/api/types';
import type { DataDesk } from './desk';
import { fieldsOf, filterOf } from './values';

const pageSize = 100;

/** RecordPage is a page of records. total counts all matches of the filter. */
interface RecordPage extends Page<DataRecord> {
  total: number;
}

/** Order is the sort field and direction. */
export interface Order {
  field: string;
  down: boolean;
}

/** RecordList holds the loaded records of a collection. */
export class RecordList {
  readonly items = signal<DataRecord[] | null>(null);
  readonly error = signal<unknown>(null);
  readonly loading = signal(false);
  readonly more = signal(false);
  /** total counts the matches of the search. */
  readonly total = signal(0);
  /** outdated is true after changes by others that the list does not show yet. */
  readonly outdated = signal(false);
  readonly order = signal<Order | null>(null);
  /** search is the text in the search field. */
  readonly search = signal('');
  readonly fields;

  private cursor: string | null = null;
  private call: AbortController | null = null;

  constructor(
    readonly desk: DataDesk,
    readonly collection: string,
  ) {
    this.fields = computed<DataField[]>(() => {
      const collection = desk.collection(this.collection);
      return collection ? fieldsOf(collection, this.items.value?.[0]) : [];
    });
  }

  /** refresh reloads the list from the start and keeps the old one until then. */
  async refresh(): Promise<void> {
    this.cursor = null;
    this.outdated.value = false;
    // The field may no longer exist in the schema.
    const order = this.order.peek();
    if (order && this.fields.peek().every(({ name }) => name !== order.field)) this.order.value = null;
    await this.load(true);
  }

  /**
   * renew takes up changes by others. It leaves a list of several pages as it is: the reader would
   * lose the place.
   */
  async renew(): Promise<void> {
    if ((this.items.peek()?.length ?? 0) <= pageSize) await this.refresh();
    else this.outdated.value = true;
  }

  /** next loads the next page. */
  async next(): Promise<void> {
    if (!this.loading.peek() && this.more.peek() && this.error.peek() === null) await this.load(false);
  }

  private async load(anew: boolean): Promise<void> {
    this.call?.abort();
    const call = new AbortController();
    this.call = call;
    this.loading.value = true;
    this.error.value = null;
    try {
      const { items, nextCursor, total } = await this.page(call.signal);
      if (call.signal.aborted) return;
      this.cursor = nextCursor;
      this.more.value = nextCursor !== null;
      this.total.value = total;
      this.items.value = anew ? items : joined(this.items.peek() ?? [], items);
      this.desk.labels.want(this.fields.peek(), items);
    } catch (error) {
      if (call.signal.aborted) return;
      this.error.value = error;
      // The collection is not live yet: publishing creates it.
      if (error instanceof ApiError && error.status === 404) this.items.value = null;
    } finally {
      if (this.call === call) this.loading.value = false;
    }
  }

  private page(stop: AbortSignal): Promise<RecordPage> {
    const collection = this.desk.collection(this.collection);
    const order = this.order.peek();
    return api.get(this.desk.of(this.collection, 'records'), {
      query: {
        limit: pageSize,
        cursor: this.cursor,
        filter: collection && filterOf(this.search.peek(), collection, this.items.peek()?.[0]),
        sort: order && `${order.down ? '-' : ''}${order.field}`,
      },
      signal: stop,
    });
  }

  /** sort cycles a field through ascending, descending and unsorted. */
  sort(field: string): void {
    const now = this.order.peek();
    this.order.value = now?.field !== field ? { field, down: false } : now.down ? null : { field, down: true };
    void this.refresh();
  }

  /** put shows a record that was changed in the form. */
  put(record: DataRecord): void {
    this.desk.labels.want(this.fields.peek(), [record]);
    this.items.value = (this.items.peek() ?? []).map((one) => (one.id === record.id ? record : one));
  }

  /** drop removes a deleted record from the list. */
  drop(id: string): void {
    this.items.value = (this.items.peek() ?? []).filter((one) => one.id !== id);
    this.total.value -= 1;
  }

  /** stop aborts loading. */
  stop(): void {
    this.call?.abort();
  }
}

// joined appends a page. It skips records that have moved to it since they were loaded.
function joined(known: DataRecord[], page: DataRecord[]): DataRecord[] {
  const ids = new Set(known.map(({ id }) => id));
  return [...known, ...page.filter(({ id }) => !ids.has(id))];
}
