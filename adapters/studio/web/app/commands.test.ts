import assert from 'node:assert/strict';
import { test } from 'node:test';

import { browser } from '~/testing/browser';
import { type Command, choose, recentKeys, remember, scoreOf } from './commands';

const command = (name: string, more: Partial<Command> = {}): Command => ({ name, key: name, run: () => {}, ...more });

const all = [
  command('Publish'),
  command('Code'),
  command('Larger code'),
  command('Shop code', { group: 'chats', key: undefined }),
  command('Projects', { group: 'go' }),
  command('Theme: Dark', { group: 'look' }),
];

const names = (query: string, recent: string[] = []) =>
  choose(all, query, recent).map(([group, found]) => `${group}: ${found.map(({ name }) => name).join(', ')}`);

test('names are found by their words', () => {
  assert.deepEqual(
    ['code', 'co', 'larg co', 'arger', 'dark', 'zz', ''].map((query) => scoreOf('Larger code', query)),
    [2, 2, 2, 1, 0, 0, 1],
  );
  assert.equal(scoreOf('Code', ' CODE '), 4);
  assert.equal(scoreOf('Code pane', 'code'), 3);
  assert.equal(scoreOf('Theme: Dark', 'dark theme'), 2);
});

test('without a query groups keep their places', () => {
  assert.deepEqual(names(''), [
    'here: Publish, Code, Larger code',
    'chats: Shop code',
    'go: Projects',
    'look: Theme: Dark',
  ]);
});

test('the best match comes first, with its group', () => {
  assert.deepEqual(names('code'), ['here: Code, Larger code', 'chats: Shop code']);
  assert.deepEqual(names('shop'), ['chats: Shop code']);
  assert.deepEqual(names('pro'), ['go: Projects']);
  assert.deepEqual(names('nothing'), []);
});

test('what was used last comes first, once', () => {
  assert.deepEqual(names('', ['Projects', 'gone', 'Code']), [
    'recent: Projects, Code',
    'here: Publish, Larger code',
    'chats: Shop code',
    'look: Theme: Dark',
  ]);
  assert.deepEqual(names('code', ['Projects']), ['here: Code, Larger code', 'chats: Shop code']);
});

test('commands are remembered, newest first and each once', () => {
  const { local } = browser();
  for (const name of ['a', 'b', 'a', 'c']) remember(command(name));
  remember(command('secret', { key: undefined }));
  assert.deepEqual(recentKeys(), ['c', 'a', 'b']);
  for (let count = 0; count < 30; count++) remember(command(`n${count}`));
  assert.equal(recentKeys().length, 12);
  local.setItem('atelier.palette', '{"broken":');
  assert.deepEqual(recentKeys(), []);
});
