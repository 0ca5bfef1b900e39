import assert from 'node:assert/strict';
import { test } from 'node:test';

import { browser } from '~/testing/browser';
import { ranked } from './rank';
import { favourites, recentFiles, visit } from './recent';

test('files are remembered per project, newest first and each once', () => {
  browser();
  for (const path of ['a', 'b', 'a', 'c']) visit('one', path);
  visit('two', 'z');
  assert.deepEqual(recentFiles('one'), ['c', 'a', 'b']);
  assert.deepEqual(recentFiles('two'), ['z']);
  for (let count = 0; count < 50; count++) visit('one', `n${count}`);
  assert.equal(recentFiles('one').length, 30);
});

test('a memory that is no list of paths, or cannot be kept, is no fault', () => {
  const { local } = browser();
  local.setItem('atelier.recent.one', '{"a":[');
  assert.deepEqual(recentFiles('one'), []);
  local.setItem('atelier.recent.one', '["a",7,null,"b"]');
  assert.deepEqual(recentFiles('one'), ['a', 'b']);
  local.room = 0;
  visit('one', 'c');
  assert.deepEqual(recentFiles('one'), []);
});

test('the file that is shown comes after the others that are open', () => {
  assert.deepEqual(favourites(['c', 'a', 'b'], ['b', 'd', 'c'], 'c'), ['a', 'b', 'd', 'c']);
  assert.deepEqual(favourites([], [], undefined), []);
});

test('favourites come first, but a better match goes before them', () => {
  const paths = ['a/main.ts', 'b/main.ts', 'src/domain.ts', 'z.ts'];
  assert.deepEqual(ranked(paths, '', ['z.ts', 'gone', 'b/main.ts']), [
    'z.ts',
    'b/main.ts',
    'a/main.ts',
    'src/domain.ts',
  ]);
  assert.deepEqual(ranked(paths, 'main', ['src/domain.ts', 'b/main.ts']), ['b/main.ts', 'a/main.ts', 'src/domain.ts']);
});
