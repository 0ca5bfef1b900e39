import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { DataRules } from '~/api/types';
import { sentencesOf } from './rules';

const rules = (some: Partial<DataRules>): DataRules => ({
  list: null,
  view: null,
  create: null,
  update: null,
  delete: null,
  ...some,
});

test('the same people are named once', () => {
  assert.deepEqual(
    sentencesOf({
      type: 'base',
      rules: {
        list: '',
        view: '',
        create: "@request.auth.id != ''",
        update: 'author = @request.auth.id',
        delete: '@request.auth.id = author',
      },
    }),
    [
      { who: { kind: 'anybody' }, acts: ['read'] },
      { who: { kind: 'signedIn' }, acts: ['create'] },
      { who: { kind: 'owner', field: 'author' }, acts: ['update', 'delete'] },
    ],
  );
  assert.deepEqual(sentencesOf({ type: 'base', rules: rules({}) }), [
    { who: { kind: 'members' }, acts: ['read', 'create', 'update', 'delete'] },
  ]);
});

test('a view is only read', () => {
  assert.deepEqual(sentencesOf({ type: 'view', rules: rules({ list: '' }) }), [
    { who: { kind: 'anybody' }, acts: ['list'] },
    { who: { kind: 'members' }, acts: ['view'] },
  ]);
});

test('usual rules have words', () => {
  const who = (rule: string) =>
    sentencesOf({ type: 'base', rules: rules({ update: rule }) }).find(({ acts }) => acts.includes('update'))!.who;
  assert.deepEqual(who('@request.auth.id!=""&&owner=@request.auth.id'), { kind: 'owner', field: 'owner' });
  assert.deepEqual(who('team ?= @request.auth.id'), { kind: 'owner', field: 'team' });
  assert.deepEqual(who('owner = @request.auth.id && @request.body.owner:changed = false'), {
    kind: 'owner',
    field: 'owner',
  });
  const kept = '@request.body.owner:changed = false';
  assert.deepEqual(who(kept), { kind: 'rule', text: kept });
  const ofUsers = { type: 'auth' as const, rules: rules({ update: 'id = @request.auth.id' }) };
  assert.deepEqual(sentencesOf(ofUsers)[1], { who: { kind: 'self' }, acts: ['update'] });
  assert.deepEqual(who("@request.auth.id != '' && @request.auth.verified = true"), { kind: 'verified' });
});

test('a new record says in whose name it is created', () => {
  const who = (rule: string) =>
    sentencesOf({ type: 'base', rules: rules({ create: rule }) }).find(({ acts }) => acts.includes('create'))!.who;
  assert.deepEqual(who('@request.body.author = @request.auth.id'), { kind: 'asThemselves', field: 'author' });
  assert.deepEqual(who("@request.auth.id != '' && author = @request.auth.id"), {
    kind: 'asThemselves',
    field: 'author',
  });
});

test('a rule is never said to be simpler than it is', () => {
  const texts = [
    'author = @request.auth.id || public = true',
    '(author = @request.auth.id) && locked = false',
    'author = @request.auth.id && locked = false',
    'id = @request.auth.id',
    '@request.auth.role = "admin"',
    'author != @request.auth.id',
    '@request.auth.id = @request.auth.id',
    'author = @request.auth.id && id = @request.auth.id',
    "@request.auth.id = ''",
    'author.team = @request.auth.id',
    '@collection.members.user ?= @request.auth.id',
  ];
  for (const text of texts)
    assert.deepEqual(
      sentencesOf({ type: 'base', rules: rules({ delete: text }) }).find(({ acts }) => acts.includes('delete'))!.who,
      { kind: 'rule', text },
      text,
    );
});
