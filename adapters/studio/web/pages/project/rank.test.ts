import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ranked } from './rank';

const paths = ['src/main.tsx', 'src/App.tsx', 'src/components/Map.tsx', 'README.md'];

test('names come before folders, and both before scattered letters', () => {
  assert.deepEqual(ranked(paths, 'ap'), ['src/App.tsx', 'src/components/Map.tsx']);
  assert.deepEqual(ranked(paths, 'comp'), ['src/components/Map.tsx']);
  assert.deepEqual(ranked(paths, 'smt'), ['src/main.tsx', 'src/components/Map.tsx']);
  assert.deepEqual(ranked(paths, 'zz'), []);
});

test('without a query the order stays', () => {
  assert.deepEqual(ranked(paths, ' '), paths);
});
