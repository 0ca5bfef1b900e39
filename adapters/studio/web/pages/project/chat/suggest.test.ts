import assert from 'node:assert/strict';
import { test } from 'node:test';

import { filesIn, filled, partsOf, recall, tokenAt, without } from './suggest';

const at = (marked: string) => tokenAt(marked.replace('|', ''), marked.indexOf('|'));

test('a command is suggested at the beginning only', () => {
  assert.deepEqual(at('/|'), { kind: 'command', query: '', from: 0, to: 1 });
  assert.deepEqual(at('/fi|x it'), { kind: 'command', query: 'fi', from: 0, to: 4 });
  assert.equal(at('/fix |'), null);
  assert.equal(at(' /fi|'), null);
  assert.equal(at('/Fi|'), null);
});

test('a file is suggested behind an @ that begins a word', () => {
  assert.deepEqual(at('see @|'), { kind: 'file', query: '', from: 4, to: 5 });
  assert.deepEqual(at('@src/Ap|p now'), { kind: 'file', query: 'src/Ap', from: 0, to: 8 });
  assert.equal(at('ada@exam|'), null);
  assert.equal(at('@a b|'), null);
});

test('a token is replaced, and the caret is behind it', () => {
  const text = 'see @ap now';
  assert.deepEqual(filled(text, tokenAt(text, 7)!, '@src/App.tsx'), { text: 'see @src/App.tsx now', caret: 17 });
  assert.deepEqual(filled('/f', tokenAt('/f', 2)!, '/fix'), { text: '/fix ', caret: 5 });
});

test('the files of a text are found, also before punctuation', () => {
  const isFile = (path: string) => ['src/App.tsx', 'a.b.'].includes(path);
  const text = 'In @src/App.tsx, and (not @gone.ts) @src/App.tsx.\n@a.b.';
  assert.deepEqual(filesIn(text, isFile), ['src/App.tsx', 'a.b.']);
  assert.deepEqual(partsOf('@src/App.tsx!', isFile), [{ file: 'src/App.tsx' }, { words: '!' }]);
  assert.equal(
    partsOf(text, isFile)
      .map((part) => ('file' in part ? `@${part.file}` : part.words))
      .join(''),
    text,
  );
  assert.equal(without('In @src/App.tsx now', 'src/App.tsx'), 'In now');
});

test('arrows walk through earlier messages, and nowhere else', () => {
  const messages = ['third', 'second'];
  assert.deepEqual(recall(messages, '', -1, 'ArrowUp'), { at: 0, text: 'third' });
  assert.deepEqual(recall(messages, 'third', 0, 'ArrowUp'), { at: 1, text: 'second' });
  assert.equal(recall(messages, 'second', 1, 'ArrowUp'), null);
  assert.deepEqual(recall(messages, 'third', 0, 'ArrowDown'), { at: -1, text: '' });
  assert.equal(recall(messages, 'third!', 0, 'ArrowUp'), null);
  assert.equal(recall(messages, 'typed', -1, 'ArrowUp'), null);
  assert.equal(recall(messages, '', -1, 'ArrowDown'), null);
  assert.equal(recall([], '', -1, 'ArrowUp'), null);
});
