import assert from 'node:assert/strict';
import { test } from 'node:test';

import { gapIn, type Pages, pageSize, rowAt, withChanged, withRows } from './pages';

const rows = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
const none: Pages<number> = new Map();

test('rows are found in their pages', () => {
  const pages = withRows(none, 3, rows(300, pageSize));
  assert.equal(rowAt(pages, 300), 300);
  assert.equal(rowAt(pages, 399), 399);
  assert.equal(rowAt(pages, 400), undefined);
  assert.equal(rowAt(pages, 0), undefined);
});

test('the first gap in sight is loaded first', () => {
  const pages = withRows(none, 0, rows(0, pageSize));
  assert.equal(gapIn(pages, 0, 50, 100_000), undefined);
  assert.deepEqual(gapIn(pages, 90, 130, 100_000), { page: 1, skip: 100, limit: 100 });
  assert.deepEqual(gapIn(pages, 99_950, 100_000, 100_000), { page: 999, skip: 99_900, limit: 100 });
  assert.deepEqual(gapIn(none, 0, 800, 7), { page: 0, skip: 0, limit: 7 });
  assert.equal(gapIn(none, 0, 800, 0), undefined);
});

test('a page that came in part is completed', () => {
  const pages = withRows(none, 1, rows(100, 30));
  assert.deepEqual(gapIn(pages, 100, 140, 1000), { page: 1, skip: 130, limit: 70 });
  assert.equal(rowAt(withRows(pages, 1, rows(130, 70)), 199), 199);
  assert.equal(gapIn(pages, 100, 140, 130), undefined);
});

test('the least recently loaded page goes first', () => {
  let pages = none;
  for (let page = 0; page < 1000; page++) pages = withRows(pages, page, rows(page * pageSize, pageSize));
  assert.equal(pages.size, 40);
  assert.equal(rowAt(pages, 0), undefined);
  assert.equal(rowAt(pages, 99_999), 99_999);
});

test('rows change in place', () => {
  const pages = withChanged(withRows(none, 0, [1, 2, 3]), (row) => (row === 2 ? 20 : row));
  assert.deepEqual(
    [0, 1, 2].map((index) => rowAt(pages, index)),
    [1, 20, 3],
  );
});
