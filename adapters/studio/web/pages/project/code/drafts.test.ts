import assert from 'node:assert/strict';
import { test } from 'node:test';

import { browser } from '~/testing/browser';
import { draftOf, draftsOf, dropDraft, keepDraft } from './drafts';

const draft = { etag: '1', base: 'base', text: 'text' };

test('a draft is kept until it is dropped', () => {
  browser();
  keepDraft('p', 'src/a.ts', draft);
  keepDraft('p', 'b.ts', { etag: null, base: null, text: '' });
  keepDraft('other', 'c.ts', draft);
  assert.deepEqual(draftOf('p', 'src/a.ts'), draft);
  assert.deepEqual(draftsOf('p').sort(), ['b.ts', 'src/a.ts']);
  dropDraft('p', 'src/a.ts');
  assert.equal(draftOf('p', 'src/a.ts'), null);
});

test('where there is room for the text alone, the text is kept', () => {
  const { session } = browser();
  session.room = 200;
  keepDraft('p', 'a.ts', { ...draft, base: 'x'.repeat(200) });
  assert.deepEqual(draftOf('p', 'a.ts'), { ...draft, base: null });
});

test('an older draft is not taken for the newest, for which there was no room', () => {
  const { session } = browser();
  keepDraft('p', 'a.ts', draft);
  session.room = 40;
  keepDraft('p', 'a.ts', { ...draft, text: 'x'.repeat(200) });
  assert.equal(draftOf('p', 'a.ts'), null);
});

test('an invalid draft is ignored', () => {
  const { session } = browser();
  for (const value of ['{', 'null', '7', '{"text":7,"etag":null,"base":null}', '{"text":"a"}']) {
    session.setItem('atelier.draft.p.a.ts', value);
    assert.equal(draftOf('p', 'a.ts'), null, value);
  }
});
