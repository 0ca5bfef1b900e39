import assert from 'node:assert/strict';
import { test } from 'node:test';

import { schemaPath, seedPath, sourcesOf } from './sources';

const file = (path: string, etag: string) => ({ path, size: 1, updatedAt: '', etag });

test('the order of the files does not change their version', () => {
  const schema = file(schemaPath, 's2');
  const seed = file(seedPath, 'd1');
  // A change puts a file last, and the next list has it in order.
  assert.equal(sourcesOf([seed, file('index.html', 'i'), schema]), sourcesOf([schema, seed]));
});

test('a change of either file is another version', () => {
  const versions = [
    [],
    [file(schemaPath, 'a')],
    [file(seedPath, 'a')],
    [file(schemaPath, 'a'), file(seedPath, 'b')],
    [file(schemaPath, 'b'), file(seedPath, 'a')],
  ];
  assert.equal(new Set(versions.map(sourcesOf)).size, versions.length);
  assert.equal(sourcesOf([file('src/main.ts', 'a')]), sourcesOf([]));
});
