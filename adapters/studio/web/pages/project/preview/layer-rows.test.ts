import assert from 'node:assert/strict';
import { test } from 'node:test';

import { rowsOf, typedAt } from './layer-rows';
import type { Layer } from './messages';

const layer = (depth: number, ...trail: number[]): Layer => ({ depth, trail, tag: 'div', loc: '', name: '', says: '' });
const page = [layer(0, 1), layer(1, 1, 0), layer(2, 1, 0, 0), layer(3, 1, 0, 0, 2), layer(1, 1, 1), layer(0, 2)];
const keys = (toggled: Record<string, boolean>, shown: string[] = []) =>
  rowsOf(page, toggled, shown).map(({ key, open }) => `${key}${open === null ? '' : open ? ' -' : ' +'}`);

test('layers deep down are closed until they are opened, or hold what is picked', () => {
  assert.deepEqual(keys({}), ['1 -', '1.0 -', '1.0.0 +', '1.1', '2']);
  assert.deepEqual(keys({ '1.0.0': true }), ['1 -', '1.0 -', '1.0.0 -', '1.0.0.2', '1.1', '2']);
  assert.deepEqual(keys({}, ['1.0.0.2']), keys({ '1.0.0': true }));
  assert.deepEqual(keys({ 1: false }, ['1.0']), ['1 +', '2']);
});

test('a row knows its place among its siblings', () => {
  const places = rowsOf(page, {}, []).map(({ position, size }) => `${position}/${size}`);
  assert.deepEqual(places, ['1/2', '1/2', '1/1', '2/2', '2/2']);
});

test('typing goes to the next row that begins with it', () => {
  const labels = ['Main', 'Heading', 'Button', 'Heading'];
  assert.equal(typedAt(labels, 0, 'h'), 1);
  assert.equal(typedAt(labels, 1, 'h'), 3);
  assert.equal(typedAt(labels, 3, 'h'), 1);
  assert.equal(typedAt(labels, 1, 'he'), 1);
  assert.equal(typedAt(labels, 0, 'x'), -1);
});
