import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  browserStorage,
  type Check,
  isFlag,
  isNumber,
  isText,
  listOf,
  oneOf,
  orNone,
  orNull,
  recordOf,
  tabStorage,
} from './storage';
import { browser } from './testing/browser';

const isPlace = recordOf<{ path: string; line?: number }>({ path: isText, line: orNone(isNumber) });

test('a stored value is read again', () => {
  browser();
  assert.equal(browserStorage.write('place', { path: 'a.ts', line: 3 }), true);
  assert.deepEqual(browserStorage.read('place', isPlace), { path: 'a.ts', line: 3 });
  assert.equal(tabStorage.read('place', isPlace), null);
  tabStorage.setText('plain', 'as it is');
  assert.equal(tabStorage.text('plain'), 'as it is');
  tabStorage.remove('plain');
  assert.equal(tabStorage.text('plain'), null);
});

const bad: Record<string, string> = {
  'nothing at all': '',
  'no JSON': '{"path":',
  null: 'null',
  'a text': '"a.ts"',
  'a number': '7',
  'a list': '[{"path":"a.ts"}]',
  'an object without what it should have': '{"line":3}',
  'a member of another type': '{"path":["a.ts"]}',
  'a second member of another type': '{"path":"a.ts","line":"3"}',
  'something too deep to read': '['.repeat(100_000),
};

for (const [name, value] of Object.entries(bad)) {
  test(`${name} is no value`, () => {
    const { local } = browser();
    local.setItem('place', value);
    assert.equal(browserStorage.read('place', isPlace), null);
    assert.deepEqual(browserStorage.list('place', isNumber), []);
  });
}

test('a list keeps the items that are what they should be', () => {
  const { local } = browser();
  local.setItem('places', '[{"path":"a.ts"},null,7,{"path":7},{"path":"b.ts","more":true}]');
  assert.deepEqual(browserStorage.list('places', isPlace), [{ path: 'a.ts' }, { path: 'b.ts', more: true }]);
});

test('names that every object has are values like others', () => {
  const { local } = browser();
  local.setItem('place', '{"__proto__":{"path":"a.ts"}}');
  assert.equal(browserStorage.read('place', isPlace), null);
});

test('a storage that is full says so, and keeps what it has', () => {
  const { local } = browser();
  browserStorage.setText('a', 'first');
  local.room = 3;
  assert.equal(browserStorage.setText('a', 'second'), false);
  assert.equal(browserStorage.write('b', { path: 'a.ts' }), false);
  assert.equal(browserStorage.text('a'), 'first');
});

test('a storage that is forbidden holds nothing', () => {
  const { local } = browser();
  local.room = 0;
  assert.equal(browserStorage.text('a'), null);
  assert.equal(browserStorage.read('a', isPlace), null);
  assert.deepEqual(browserStorage.list('a', isPlace), []);
  assert.equal(browserStorage.setText('a', 'b'), false);
  browserStorage.remove('a');
  Object.defineProperty(globalThis, 'sessionStorage', {
    configurable: true,
    get: () => {
      throw new Error('SecurityError');
    },
  });
  assert.equal(tabStorage.text('a'), null);
  assert.equal(tabStorage.setText('a', 'b'), false);
  assert.deepEqual(tabStorage.names(''), []);
  tabStorage.remove('a');
  Object.defineProperty(globalThis, 'sessionStorage', { configurable: true, writable: true, value: undefined });
});

test('checks tell what they are named for', () => {
  const cases: [Check<unknown>, unknown[], unknown[]][] = [
    [isText, ['', 'a'], [null, 7, {}, undefined]],
    [isNumber, [0, -1.5], [Number.NaN, Number.POSITIVE_INFINITY, '7', null]],
    [isFlag, [true, false], [0, 'true', null]],
    [oneOf('a', 'b'), ['a', 'b'], ['c', '', null]],
    [orNull(isText), [null, 'a'], [undefined, 7]],
    [orNone(isText), [undefined, 'a'], [null, 7]],
    [listOf(isText), [[], ['a']], [['a', 7], 'a', { 0: 'a', length: 1 }]],
    [recordOf({}), [{}, { a: 1 }], [[], null, 'a']],
  ];
  for (const [check, right, wrong] of cases) {
    for (const value of right) assert(check(value), JSON.stringify(value));
    for (const value of wrong) assert(!check(value), JSON.stringify(value));
  }
});
