import assert from 'node:assert/strict';
import { test } from 'node:test';

import { piecesOf } from './links';

const at = 'http://p.localhost';

test('links to the application lead to where it is', () => {
  assert.deepEqual(piecesOf('Press here: /_data/@confirm/x#t.k.n.\nBye', at), [
    { text: 'Press here: ' },
    { text: '/_data/@confirm/x#t.k.n', href: 'http://p.localhost/_data/@confirm/x#t.k.n' },
    { text: '.\nBye' },
  ]);
  assert.deepEqual(piecesOf('here: /a', null), [{ text: 'here: /a' }]);
});

test('other links stay what they are, and only those of the web are links', () => {
  assert.deepEqual(piecesOf('(https://example.com/a/b) javascript:alert(1) and/or 1/2 / //other.example', at), [
    { text: '(' },
    { text: 'https://example.com/a/b', href: 'https://example.com/a/b' },
    { text: ') javascript:alert(1) and/or 1/2 / //other.example' },
  ]);
  assert.deepEqual(piecesOf('', null), []);
});
