import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { DataCollection, DataField } from '~/api/types';
import { draftOf, fieldsOf, filterOf, inputOf, inputsOf, labelOf, momentOf, quoted, refusalOf, sentOf } from './values';

const field = (name: string, type: string, more: Partial<DataField> = {}): DataField => ({
  name,
  type,
  required: false,
  multiple: false,
  ...more,
});

const rules = { list: null, view: null, create: null, update: null, delete: null };

const entries: DataCollection = {
  name: 'entries',
  type: 'base',
  rules,
  fields: [
    field('created', 'autodate'),
    field('title', 'text'),
    field('stars', 'number'),
    field('done', 'bool'),
    field('extra', 'json'),
    field('author', 'relation', { collection: 'users' }),
    field('pictures', 'file', { multiple: true }),
    field('logo', 'file'),
  ],
};
const users: DataCollection = { name: 'users', type: 'auth', rules, fields: [field('name', 'text')] };
const inputs = inputsOf(entries, false);

test('users have an e-mail, and a password that is entered but never shown', () => {
  assert.deepEqual(
    fieldsOf(users).map(({ name }) => name),
    ['email', 'verified', 'emailVisibility', 'name'],
  );
  assert.equal(inputsOf(users, true).at(-1)!.type, 'password');
  assert.equal(inputsOf(users, true).at(-1)!.required, true);
  assert.equal(inputsOf(users, false).at(-1)!.required, false);
});

test('times that the service sets come last, and are not entered', () => {
  assert.equal(fieldsOf(entries).at(-1)!.name, 'created');
  assert.equal(
    inputs.some(({ type }) => type === 'autodate'),
    false,
  );
});

test('a view shows what its records have', () => {
  const view: DataCollection = { name: 'sums', type: 'view', rules, fields: [] };
  assert.deepEqual(
    fieldsOf(view, { id: 'a', collectionId: 'c', total: 3, parts: [1] }).map(({ name, type }) => [name, type]),
    [
      ['total', 'text'],
      ['parts', 'json'],
    ],
  );
});

test('only changed values are sent', () => {
  const record = { id: 'r', title: 'Old', stars: 3, done: true, extra: { a: 1 }, author: 'u1' };
  const draft = draftOf(inputs, record);
  assert.deepEqual(sentOf(inputs, record, draft), { body: null, wrong: {} });
  draft.title = 'New';
  draft.stars = '';
  draft.extra = '[2]';
  draft.author = [];
  assert.deepEqual(sentOf(inputs, record, draft).body, { title: 'New', stars: 0, extra: [2], author: '' });
});

test('a new record is sent also when nothing was entered', () => {
  assert.deepEqual(sentOf(inputs, null, draftOf(inputs, null)).body, {});
});

test('what is no number and no JSON is not sent', () => {
  const draft = { ...draftOf(inputs, null), stars: '3 apples', extra: '{a' };
  assert.deepEqual(sentOf(inputs, null, draft).wrong, { stars: 'number', extra: 'json' });
});

test('files are added and taken away by their names', () => {
  const record = { id: 'r', pictures: ['a.png', 'b.png'], logo: 'l.png' };
  const draft = draftOf(inputs, record);
  draft.pictures = { kept: ['b.png'], added: [new File(['x'], 'c.png')] };
  const body = sentOf(inputs, record, draft).body as FormData;
  assert.deepEqual(JSON.parse(String(body.get('@jsonPayload'))), { 'pictures-': ['a.png'] });
  assert.equal((body.get('pictures+') as File).name, 'c.png');
  assert.deepEqual(sentOf(inputs, record, { ...draftOf(inputs, record), logo: { kept: [], added: [] } }).body, {
    logo: '',
  });
});

test('a date keeps its moment through the field of the browser', () => {
  const due = field('due', 'date');
  for (const at of ['2026-03-03 01:30:00.000Z', '2026-12-24 00:30:15.000Z', '2026-07-01 12:00:00.120Z']) {
    const input = inputOf(due, at);
    const { body } = sentOf([due], { id: 'r', due: '2000-01-01 00:00:00.000Z' }, { due: input });
    assert.deepEqual(body, { due: at });
  }
  assert.equal(inputOf(due, ''), '');
  assert.equal(inputOf(due, 'nonsense'), '');
});

test('a text is searched, a filter is taken as it is', () => {
  assert.equal(filterOf('  ', entries), '');
  assert.equal(filterOf('done = true', entries), 'done = true');
  assert.equal(filterOf('(stars>=3 && done=true)', entries), '(stars>=3 && done=true)');
  assert.equal(
    filterOf('hello = world', entries),
    'id ~ "hello = world" || title ~ "hello = world" || stars ~ "hello = world"',
  );
  assert.equal(quoted('say "hi" \\'), '"say \\"hi\\" "');
});

test('a record is called by its name', () => {
  assert.equal(labelOf({ id: 'x', name: 'Ada' }, users), 'Ada');
  assert.equal(labelOf({ id: 'x', name: '', email: 'a@b.example' }, users), 'a@b.example');
  assert.equal(labelOf({ id: 'x' }, undefined), 'x');
});

test('a refusal is divided by its fields', () => {
  assert.deepEqual(refusalOf('Failed to create record; title: Cannot be blank; stars: Must be less than 5', inputs), {
    fields: { title: 'Cannot be blank', stars: 'Must be less than 5' },
    others: {},
    general: 'Failed to create record',
  });
  assert.deepEqual(refusalOf('Failed; other: no; title: Cannot be blank', inputs), {
    fields: { title: 'Cannot be blank' },
    others: { other: 'no' },
    general: 'Failed',
  });
  assert.deepEqual(refusalOf('the service is closed', inputs), {
    fields: {},
    others: {},
    general: 'the service is closed',
  });
});

test('a time that cannot be read is shown as it is', () => {
  assert.equal(momentOf('2026-03-04 05:06:07.000Z').includes('2026'), true);
  assert.equal(momentOf('soon'), 'soon');
  assert.equal(momentOf(''), '');
});
