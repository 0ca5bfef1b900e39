import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { FileEntry } from '~/api/types';
import { folderOf, nameOf, rowsOf, treeOf } from './model';

const entries = (...paths: string[]) => paths.map((path): FileEntry => ({ path, size: 1, updatedAt: '', etag: '' }));
const shown = (paths: string[], open: string[] = []) =>
  rowsOf(treeOf(entries(...paths)), new Set(open)).map(
    ({ path, depth, at, of }) => `${' '.repeat(depth)}${path} ${at}/${of}`,
  );

test('folders come first, and both by name as people count', () => {
  assert.deepEqual(shown(['b.ts', 'a10.ts', 'a9.ts', 'src/x.ts', 'Docs/y.md']), [
    'Docs 1/5',
    'src 2/5',
    'a9.ts 3/5',
    'a10.ts 4/5',
    'b.ts 5/5',
  ]);
});

test('only open folders show what is in them', () => {
  const paths = ['src/a.ts', 'src/ui/b.ts', 'src/ui/deep/c.ts'];
  assert.deepEqual(shown(paths), ['src 1/1']);
  assert.deepEqual(shown(paths, ['src', 'src/ui/deep']), ['src 1/1', ' src/ui 1/2', ' src/a.ts 2/2']);
  assert.deepEqual(shown(paths, ['src', 'src/ui']), [
    'src 1/1',
    ' src/ui 1/2',
    '  src/ui/deep 1/2',
    '  src/ui/b.ts 2/2',
    ' src/a.ts 2/2',
  ]);
});

test('names that objects have are names like others', () => {
  assert.deepEqual(shown(['__proto__/a', 'constructor/b', 'toString']), [
    '__proto__ 1/3',
    'constructor 2/3',
    'toString 3/3',
  ]);
});

test('a path has a name and a folder', () => {
  assert.deepEqual([nameOf('a/b/c.ts'), folderOf('a/b/c.ts')], ['c.ts', 'a/b']);
  assert.deepEqual([nameOf('c.ts'), folderOf('c.ts')], ['c.ts', '']);
});
