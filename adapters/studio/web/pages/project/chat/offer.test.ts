import assert from 'node:assert/strict';
import { test } from 'node:test';

import { matching, type Offer } from './offer';

const offer = (group: string, name: string, notes = ''): Offer => ({ group, name, notes, choice: { model: name } });

test('every word of a query occurs in a model, its provider or its notes', () => {
  const offers = [
    offer('Lab', 'mistral-large', '128K tokens · $2.00 in'),
    offer('Lab', 'mistral-small'),
    offer('Own', 'Large'),
  ];
  const found = (query: string) => matching(offers, query).map(({ name }) => name);
  assert.deepEqual(found(''), ['mistral-large', 'mistral-small', 'Large']);
  assert.deepEqual(found('LARGE lab'), ['mistral-large']);
  assert.deepEqual(found('128k'), ['mistral-large']);
  assert.deepEqual(found(' own '), ['Large']);
  assert.deepEqual(found('gpt'), []);
});
