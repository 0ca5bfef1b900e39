import assert from 'node:assert/strict';
import { test } from 'node:test';

import { changeLines } from './change';

test('a change is shown with two lines around it', () => {
  assert.equal(changeLines('a\nb\nc\nd\ne\nf', 'a\nb\nc\nD\ne\nf'), ' b\n c\n-d\n+D\n e\n f');
});

test('what is put in or taken out keeps the lines that repeat', () => {
  assert.equal(changeLines('a\na', 'a\na\na'), ' a\n a\n+a');
  assert.equal(changeLines('a\na\na', 'a'), ' a\n-a\n-a');
});

test('a new text is all new', () => {
  assert.equal(changeLines('', 'a\nb'), '-\n+a\n+b');
  assert.equal(changeLines('same', 'same'), ' same');
});
