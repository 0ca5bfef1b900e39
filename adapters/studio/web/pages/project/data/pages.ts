// The loaded pages of a long list: an LRU cache of pages by their number.

/** pageSize is the number of rows of a page, the most that a call returns. */
export const pageSize = 100;

/** mostPages bounds the pages that are kept. */
const mostPages = 40;

/** Pages are loaded pages by number, the least recently loaded first. */
export type Pages<T> = ReadonlyMap<number, readonly T[]>;

/** Gap is a stretch of rows that is not loaded. */
export interface Gap {
  page: number;
  skip: number;
  limit: number;
}

/** rowAt returns a row, or undefined while it is not loaded. */
export function rowAt<T>(pages: Pages<T>, index: number): T | undefined {
  return pages.get(Math.floor(index / pageSize))?.[index % pageSize];
}

/** gapIn returns the first gap among the rows [from, to) of a list of total rows. */
export function gapIn<T>(pages: Pages<T>, from: number, to: number, total: number): Gap | undefined {
  const end = Math.min(to, total);
  for (let page = Math.floor(from / pageSize); page * pageSize < end; page++) {
    const first = page * pageSize;
    // A page of large records arrives in parts.
    const loaded = pages.get(page)?.length ?? 0;
    const limit = Math.min(pageSize, total - first) - loaded;
    if (limit > 0) return { page, skip: first + loaded, limit };
  }
  return undefined;
}

/** withRows returns the pages with rows appended to one, without the least recently loaded beyond the bound. */
export function withRows<T>(pages: Pages<T>, page: number, rows: readonly T[]): Pages<T> {
  const next = new Map(pages);
  next.delete(page);
  next.set(page, [...(pages.get(page) ?? []), ...rows]);
  for (const oldest of next.keys()) {
    if (next.size <= mostPages) break;
    next.delete(oldest);
  }
  return next;
}

/** withChanged returns the pages with each row changed. */
export function withChanged<T>(pages: Pages<T>, change: (row: T) => T): Pages<T> {
  return new Map([...pages].map(([page, rows]) => [page, rows.map(change)]));
}
