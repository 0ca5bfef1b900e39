import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Dice } from '~/testing/random';
import { readMessage } from './messages';

const said = (fields: object) => readMessage({ source: 'atelier-preview', ...fields });
const picked = (element: object) => said({ type: 'picked', element: { tag: 'h1', ...element } });

test("a message that is not the bridge's is ignored", () => {
  for (const data of [
    null,
    undefined,
    7,
    'picked',
    [],
    {},
    { source: 'other', type: 'begun' },
    { source: 'atelier-preview' },
    { source: 'atelier-preview', type: 'eval' },
  ]) {
    assert.equal(readMessage(data), null);
  }
  assert.equal(said({ type: 'step', to: 'sideways' }), null);
});

test('a location is a path of the page, and nothing else', () => {
  for (const path of ['https://evil.example', 'javascript:alert(1)', '', 7, null]) {
    assert.deepEqual(said({ type: 'location', path }), {
      type: 'location',
      path: '/',
      title: '',
      back: false,
      forward: false,
      first: false,
    });
  }
});

test('an element with a name that is no tag is not picked', () => {
  for (const tag of ['', 'H1', '<img>', '1a', 'a b', 7])
    assert.deepEqual(picked({ tag }), { type: 'picked', element: null });
});

test('a session is taken whole or not at all', () => {
  assert.deepEqual(said({ type: 'user', text: null }), { type: 'user', text: null });
  assert.deepEqual(said({ type: 'user', text: '{"token":"x"}' }), { type: 'user', text: '{"token":"x"}' });
  for (const text of [undefined, 7, {}, '', 'x'.repeat(32_001)]) assert.equal(said({ type: 'user', text }), null);
});

test('every field is bounded', () => {
  const long = 'x'.repeat(1_000_000);
  const message = picked({
    loc: long,
    selector: long,
    text: long,
    classes: long,
    src: long,
    alt: long,
    path: long,
    says: long,
    count: 1e12,
    trail: Array(10_000).fill(1),
    styles: Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`a${'b'.repeat(index % 30)}`, long])),
  });
  assert(JSON.stringify(message).length < 30_000);
  assert(JSON.stringify(said({ type: 'crashed', cause: long })).length < 5000);
});

test('pins that are found have ids and places, as many as a project may have', () => {
  const message = said({ type: 'pinned', found: [{ id: 'a', loc: 'b:1:2' }, 7, null, { id: {}, loc: [] }] });
  assert.deepEqual(message, {
    type: 'pinned',
    found: [
      { id: 'a', loc: 'b:1:2' },
      { id: '', loc: '' },
    ],
  });
  assert.deepEqual(said({ type: 'pinned', found: 'all' }), { type: 'pinned', found: [] });
  const many = said({ type: 'pinned', found: Array(10_000).fill({ id: 'x'.repeat(100), loc: '' }) });
  assert(many?.type === 'pinned' && many.found.length === 500 && many.found[0]!.id.length === 36);
});

test('fields of another type are left out', () => {
  assert.deepEqual(
    picked({ loc: 7, count: 'many', trail: [1, -1, 1.5, 'x'], text: {}, classes: [], styles: ['color'] }),
    {
      type: 'picked',
      element: {
        tag: 'h1',
        loc: '',
        selector: '',
        count: 1,
        path: '',
        says: '',
        trail: [1, 0, 0, 0],
        text: null,
        classes: null,
        src: null,
        alt: null,
        styles: {},
        declared: {},
      },
    },
  );
});

test('styles have names of styles', () => {
  const message = picked({ styles: { color: 'red', 'font-size': 7, 'Bad Name': 'x', ['a'.repeat(50)]: 'x' } });
  assert(message?.type === 'picked');
  assert.deepEqual(message.element?.styles, { color: 'red', 'font-size': '' });
});

test('nothing that a page says makes reading it fail', () => {
  const dice = new Dice(71);
  const value = (depth: number): unknown =>
    dice.of<() => unknown>([
      () => null,
      () => dice.below(9) - 4,
      () => 'text',
      () => true,
      () => Number.NaN,
      () => (depth > 2 ? [] : dice.list(4, () => value(depth + 1))),
      () =>
        depth > 2
          ? {}
          : Object.fromEntries(
              ['tag', 'loc', 'styles', 'trail', 'element', 'to', 'path'].map((name) => [name, value(depth + 1)]),
            ),
    ])();
  for (let round = 0; round < 3000; round++) {
    said({
      type: dice.of(['location', 'picked', 'picking', 'step', 'begun', 'crashed']),
      path: value(0),
      element: value(0),
      cause: value(0),
      to: value(0),
      title: value(0),
    });
  }
});
