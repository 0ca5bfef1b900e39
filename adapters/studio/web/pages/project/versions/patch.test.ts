import assert from 'node:assert/strict';
import { test } from 'node:test';

import { filePatches } from './patch';

const part = (path: string, text = '@@ -1 +1 @@\n-a\n+b\n') =>
  `diff --git a/${path} b/${path}\nindex 1..2 100644\n--- a/${path}\n+++ b/${path}\n${text}`;

test('each file has its part, from the first hunk on', () => {
  const found = filePatches(part('a.ts') + part('src/b.ts', '@@ -2 +2 @@\n-c\n+d\n'), ['a.ts', 'src/b.ts']);
  assert.deepEqual(
    [...found.values()],
    [
      { path: 'a.ts', text: '@@ -1 +1 @@\n-a\n+b\n' },
      { path: 'src/b.ts', text: '@@ -2 +2 @@\n-c\n+d\n' },
    ],
  );
});

test('a file that is no text has no hunks', () => {
  const found = filePatches('diff --git a/a.png b/a.png\nBinary files a/a.png and b/a.png differ\n', ['a.png']);
  assert.deepEqual(found.get('a.png'), { path: 'a.png', text: '' });
});

test('files that the patch lacks are passed over', () => {
  const found = filePatches(part('c.ts'), ['a.ts', 'b.ts', 'c.ts']);
  assert.deepEqual([...found.keys()], ['c.ts']);
});

test('a name at the end of another is not taken for it', () => {
  const found = filePatches(part('src/a.ts') + part('a.ts', '@@ -9 +9 @@\n'), ['src/a.ts', 'a.ts']);
  assert.deepEqual(
    [...found].map(([path, { text }]) => [path, text.slice(0, 8)]),
    [
      ['src/a.ts', '@@ -1 +1'],
      ['a.ts', '@@ -9 +9'],
    ],
  );
});

test('names that git writes in quotes are found', () => {
  const quoted = (name: string) => `diff --git "a/${name}" "b/${name}"\n@@ -1 +1 @@\n`;
  const paths = ['übung.ts', 'a"b.ts', 'back\\slash', 'tab\there'];
  const patch = ['\\303\\274bung.ts', 'a\\"b.ts', 'back\\\\slash', 'tab\\011here'].map(quoted).join('');
  assert.deepEqual([...filePatches(patch, paths).keys()], paths);
});

test('lines of a file that look like a patch are part of its content', () => {
  const content = '@@ -1 +1,2 @@\n a\n+diff --git a/b.ts b/b.ts\n';
  const found = filePatches(part('a.ts', content), ['a.ts', 'b.ts']);
  assert.deepEqual([...found], [['a.ts', { path: 'a.ts', text: content }]]);
});

test('what is no patch has no files', () => {
  for (const patch of ['', 'text', 'diff --git', 'diff --git a/x', '@@ -1 +1 @@\n-a\n'])
    assert.equal(filePatches(patch, ['a.ts']).size, 0);
});
