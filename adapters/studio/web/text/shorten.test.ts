import assert from 'node:assert/strict';
import { test } from 'node:test';

import { shorten } from './shorten';

test('a name is cut between words, and shows that it is', () => {
  const rows: [text: string, most: number, want: string][] = [
    ['A shop', 20, 'A shop'],
    ['  A\n shop\t', 20, 'A shop'],
    ['A habit tracker, with a calendar', 20, 'A habit tracker…'],
    ['A habit tracker', 15, 'A habit tracker'],
    ['Donaudampfschifffahrt', 10, 'Donaudamp…'],
    ['予約できるヨガ教室のページ', 8, '予約できるヨガ…'],
    ['🧘🧘🧘🧘', 3, '🧘🧘…'],
    ['', 3, ''],
  ];
  for (const [text, most, want] of rows) assert.equal(shorten(text, most), want);
});
