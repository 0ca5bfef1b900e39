import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Dice } from '~/testing/random';
import { unified } from '../code/lines';
import { applyPatch, moved } from './patch';

const joined = (lines: string[]) => lines.map((line) => `${line}\n`).join('');
const diffOf = (a: string[], b: string[]) => `--- a/file\n+++ b/file\n${unified(a, b)}\n`;

test('a patch makes its change, and takes it back', () => {
  const dice = new Dice(21);
  for (let round = 0; round < 2000; round++) {
    const before = Array.from({ length: 1 + dice.below(20) }, (_, line) => `${dice.of(['a', 'b', 'c'])}${line}`);
    const after = before.flatMap((line) => dice.of([[line], [line], [line], [], [`${line}!`], [line, 'new']]));
    if (after.length === 0) continue;
    const diff = diffOf(before, after);
    assert.equal(applyPatch(joined(before), diff), joined(after));
    assert.equal(applyPatch(joined(after), diff, true), joined(before));
  }
});

test('a change is found where its lines have moved to', () => {
  const before = Array.from({ length: 12 }, (_, line) => `line ${line}`);
  const diff = diffOf(before, before.with(6, 'changed'));
  for (const above of [1, 5, 40]) {
    const more = Array.from({ length: above }, (_, line) => `more ${line}`);
    assert.equal(applyPatch(joined([...more, ...before]), diff), joined([...more, ...before.with(6, 'changed')]));
  }
  assert.equal(applyPatch(joined(before.slice(3)), diff), joined(before.with(6, 'changed').slice(3)));
});

test('the nearest place counts where lines repeat', () => {
  const block = ['<li>', '  text', '</li>'];
  const before = [...block, ...block, ...block];
  const diff = '@@ -4,3 +4,3 @@\n <li>\n-  text\n+  other\n </li>\n';
  assert.equal(applyPatch(joined(before), diff), joined([...block, '<li>', '  other', '</li>', ...block]));
});

test('a change that the file has outgrown is refused, and nothing of it made', () => {
  const before = Array.from({ length: 30 }, (_, line) => `line ${line}`);
  const diff = diffOf(before, before.with(2, 'one').with(25, 'two'));
  assert.equal(applyPatch(joined(before.with(25, 'somebody else')), diff), null);
  assert.equal(applyPatch('', diff), null);
});

test('a missing line break at the end is kept', () => {
  const diff = '@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n';
  assert.equal(applyPatch('a\nb', diff), 'a\nc');
  assert.equal(applyPatch('a\nc', diff, true), 'a\nb');
  const ended = '@@ -1 +1 @@\n-b\n\\ No newline at end of file\n+b\n';
  assert.equal(applyPatch('b', ended), 'b\n');
  assert.equal(applyPatch('b\n', ended, true), 'b');
});

test('a file from nothing, and back to it', () => {
  const diff = '--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+a\n+b\n';
  assert.equal(applyPatch('', diff), 'a\nb\n');
  assert.equal(applyPatch('a\nb\n', diff, true), '');
});

test('line breaks of Windows belong to their lines', () => {
  assert.equal(applyPatch('a\r\nb\r\n', '@@ -2,1 +2,1 @@\n-b\r\n+c\r\n'), 'a\r\nc\r\n');
});

test('what is no patch changes nothing', () => {
  for (const diff of [
    '',
    'text',
    '\\ No newline at end of file',
    '@@',
    '@@ -x +y @@\n-a\n',
    '+a\n-b\n',
    '\0',
    '@@ -1,1 @@\n-a\n',
  ]) {
    assert.equal(applyPatch('a\nb\n', diff), 'a\nb\n');
    assert.deepEqual(moved({ line: 2, column: 1 }, diff), { line: 2, column: 1 });
  }
});

test('hostile numbers and lengths end soon', () => {
  const text = joined(Array.from({ length: 2000 }, (_, line) => `line ${line % 7}`));
  for (const diff of [
    '@@ -999999999,5 +999999999,5 @@\n-nowhere\n+x\n',
    '@@ -0,1 +0,1 @@\n-line 0\n+x\n',
    `@@ -1,1 +1,1 @@\n${'-line 9\n'.repeat(3000)}`,
    `@@ -${'9'.repeat(400)},1 +1,1 @@\n-nowhere\n`,
    `${'@@ -1,1 +1,1 @@\n'.repeat(3000)}`,
    '@@ -1,1 +1,1 @@\n\\ No newline\n\\ No newline\n-line 0\n',
  ]) {
    const made = applyPatch(text, diff);
    assert(made === null || made.length <= text.length, diff.slice(0, 40));
  }
});

test('a spot stays with its text', () => {
  const diff = diffOf(['a', 'b', 'c'], ['a', 'new', 'b', 'c']);
  assert.deepEqual(moved({ line: 1, column: 2 }, diff), { line: 1, column: 2 });
  assert.deepEqual(moved({ line: 3, column: 1 }, diff), { line: 4, column: 1 });
  assert.deepEqual(moved({ line: 4, column: 1 }, diff, true), { line: 3, column: 1 });
  const longer = '@@ -5,1 +5,1 @@\n-<a class="x"><b>\n+<a class="x y z"><b>\n';
  assert.deepEqual(moved({ line: 5, column: 14 }, longer), { line: 5, column: 18 });
  assert.deepEqual(moved({ line: 5, column: 1 }, longer), { line: 5, column: 1 });
  assert.deepEqual(moved({ line: 9, column: 3 }, longer), { line: 9, column: 3 });
});

test('a second change goes as far as the first one had to', () => {
  const before = Array.from({ length: 40 }, (_, line) => (line % 10 === 9 ? 'item' : `line ${line}`));
  const diff = '@@ -1,1 +1,1 @@\n-line 0\n+first\n@@ -20,1 +20,1 @@\n-item\n+second\n';
  const above = Array.from({ length: 10 }, (_, line) => `more ${line}`);
  assert.equal(
    applyPatch(joined([...above, ...before]), diff),
    joined([...above, ...before.with(0, 'first').with(19, 'second')]),
  );
});
