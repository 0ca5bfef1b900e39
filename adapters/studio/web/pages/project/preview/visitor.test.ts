import assert from 'node:assert/strict';
import { test } from 'node:test';

import { browser } from '~/testing/browser';
import { Visitor } from './visitor';

const [first, second, third] = ['https://a.example', 'https://b.example', 'https://c.example'];

test('a session follows its project to a new address', () => {
  browser();
  const visitor = new Visitor('p');
  assert.equal(visitor.take(first, null), null);
  assert.equal(visitor.take(first, 'anna'), null);
  assert.equal(visitor.take(second, null), 'anna');
  // The page has loaded again with the session, and moves once more.
  assert.equal(visitor.take(second, 'anna'), null);
  assert.equal(new Visitor('p').take(third, null), 'anna');
});

test('who signs out stays signed out', () => {
  browser();
  const visitor = new Visitor('p');
  visitor.take(first, 'anna');
  visitor.take(first, null);
  assert.equal(visitor.take(second, null), null);
});

test('a page that cannot keep the session is offered it once', () => {
  browser();
  const visitor = new Visitor('p');
  visitor.take(first, 'anna');
  assert.equal(visitor.take(second, null), 'anna');
  assert.equal(visitor.take(second, null), null);
  assert.equal(visitor.take(third, null), null);
});

test('a page with a user of its own keeps it', () => {
  browser();
  const visitor = new Visitor('p');
  visitor.take(first, 'anna');
  assert.equal(visitor.take(second, 'bert'), null);
  assert.equal(visitor.take(third, null), 'bert');
});

test('another project gets nothing', () => {
  browser();
  new Visitor('p').take(first, 'anna');
  assert.equal(new Visitor('q').take(second, null), null);
});
