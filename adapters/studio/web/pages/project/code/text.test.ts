import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EditorState } from '@codemirror/state';

import { Dice } from '~/testing/random';
import { edits } from './edits';
import { breakOf, linesOf, textOf } from './text';

test('a text comes back as it was, whatever its lines end with', () => {
  const dice = new Dice(41);
  for (let round = 0; round < 3000; round++) {
    const text = dice.list(12, () => dice.of(['a', '\n', '\r\n', '\r', '\ufeff', ' '])).join('');
    const lineBreak = breakOf(text);
    assert.equal(textOf(text, lineBreak).sliceString(0, undefined, lineBreak), text, JSON.stringify(text));
  }
});

test('one kind of line break is told from several', () => {
  const kinds: [string, string][] = [
    ['', '\n'],
    ['a', '\n'],
    ['a\nb', '\n'],
    ['a\r\nb', '\r\n'],
    ['a\r\nb\n', '\n'],
    ['a\nb\r\n', '\n'],
    ['a\rb', '\n'],
    ['a\r\r\nb', '\n'],
    ['\r\n', '\r\n'],
    ['\n\r\n', '\n'],
  ];
  for (const [text, lineBreak] of kinds) assert.equal(breakOf(text), lineBreak, JSON.stringify(text));
});

test('edits lead to the other text', () => {
  const dice = new Dice(42);
  for (let round = 0; round < 3000; round++) {
    const made = () => textOf(dice.list(8, () => dice.of(['', 'a', 'ab', 'abc', 'xbc', '😀'])).join('\n'), '\n');
    const [from, to] = [made(), made()];
    const { newDoc } = EditorState.create({ doc: from }).update({ changes: edits(from, to) });
    assert.deepEqual(linesOf(newDoc), linesOf(to), JSON.stringify([from.toString(), to.toString()]));
  }
});

test('a cursor stays beside what others change', () => {
  const from = textOf('one\ntwo three four\nfive', '\n');
  const to = textOf('zero\none\ntwo 3 four\nfive', '\n');
  const { changes } = EditorState.create({ doc: from }).update({ changes: edits(from, to) });
  for (const word of ['one', ' four', 'five']) {
    assert.equal(changes.mapPos(from.toString().indexOf(word), 1), to.toString().indexOf(word));
  }
});

test('equal texts need no edits', () => {
  const text = textOf('a\nb', '\n');
  assert.deepEqual(edits(text, textOf('a\nb', '\n')), []);
});
