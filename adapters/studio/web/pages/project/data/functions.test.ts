import assert from 'node:assert/strict';
import { test } from 'node:test';

import { functionsOf, read } from './functions';

const file = (path: string) => ({ path, size: 1, updatedAt: '', etag: path });

test('the functions are the sources of the folder', () => {
  const paths = [
    'functions/hello.ts',
    'functions/A-b_9.js',
    'functions/_shared.ts',
    'functions/hello.d.ts',
    'functions/hello.test.ts',
    'functions/lib/x.ts',
    'functions/x.tsx',
    'src/functions/x.ts',
  ];
  assert.deepEqual(
    functionsOf(paths.map(file)).map(({ name }) => name),
    ['A-b_9', 'hello'],
  );
});

test('usual schedules have words', () => {
  assert.deepEqual(read('* * * * *'), { kind: 'minutes', every: 1 });
  assert.deepEqual(read('*/15 * * * *'), { kind: 'minutes', every: 15 });
  assert.deepEqual(read('5 * * * *'), { kind: 'hour', minute: 5 });
  assert.deepEqual(read('0 8 * * *'), { kind: 'day', hour: 8, minute: 0 });
  assert.deepEqual(read('30 17 * * 7'), { kind: 'week', weekday: 0, hour: 17, minute: 30 });
  assert.deepEqual(read('0 0 1 * *'), { kind: 'month', day: 1, hour: 0, minute: 0 });
  for (const special of ['0 8 1 * 1', '0 8-10 * * *', '0 8 * 3 *', '61 8 * * *', '0 8 * *', '0 0 0 * *'])
    assert.equal(read(special), null, special);
});
