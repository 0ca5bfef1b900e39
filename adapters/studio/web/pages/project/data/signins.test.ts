import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { SignInProvider } from '~/api/types';
import { loadWorkbench, t } from '~/text';
import { workbench as de } from '~/text/de/workbench';
import {
  bodyOf,
  draftOf,
  freeKinds,
  isSame,
  keepsSecret,
  kindName,
  refusalOf,
  type SignInDraft,
  wrongOf,
} from './signins';

await loadWorkbench();

const google = { name: 'google', displayName: 'Google', addressed: false };
const oidc = { name: 'oidc', displayName: 'OpenID Connect', addressed: true };

const apple = { name: 'apple', displayName: 'Apple', addressed: false };
const privateKey = '-----BEGIN PRIVATE KEY-----\nMIGT\nAgEA\n-----END PRIVATE KEY-----\n';

const stored: SignInProvider = {
  name: 'oidc',
  clientId: 'shop',
  displayName: 'Example',
  authURL: 'https://id.example/auth',
  tokenURL: 'https://id.example/token',
  userInfoURL: 'https://id.example/me',
  pkce: false,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
};
const changed = (change: Partial<SignInDraft>) => ({ ...draftOf(stored), ...change });

test('a new provider needs an ID and a secret, and one without addresses needs those', () => {
  assert.deepEqual(wrongOf(null, draftOf(null), google), { clientId: 'missing', clientSecret: 'missing' });
  assert.deepEqual(wrongOf(null, draftOf(null), oidc), {
    clientId: 'missing',
    clientSecret: 'missing',
    authURL: 'missing',
    tokenURL: 'missing',
    userInfoURL: 'missing',
  });
  const entered = { ...draftOf(null), clientId: ' id ', clientSecret: ' secret\n' };
  assert.deepEqual(wrongOf(null, entered, google), {});
});

test('a secret is kept until it would go elsewhere', () => {
  const keeping = [{}, { clientId: ' shop ' }, { displayName: 'Shop' }, { authURL: 'https://id.example/new' }];
  for (const change of keeping) {
    assert.equal(keepsSecret(stored, changed(change)), true);
    assert.deepEqual(wrongOf(stored, changed(change), oidc), {});
  }
  for (const change of [{ clientId: 'other' }, { tokenURL: 'https://evil.example/token' }]) {
    assert.equal(keepsSecret(stored, changed(change)), false);
    assert.deepEqual(wrongOf(stored, changed(change), oidc), { clientSecret: 'again' });
    assert.deepEqual(wrongOf(stored, changed({ ...change, clientSecret: 'new' }), oidc), {});
  }
  assert.equal(keepsSecret(null, draftOf(null)), false);
});

test('what the service refuses is seen before', () => {
  const refused: [Partial<SignInDraft>, object][] = [
    [{ authURL: 'id.example/auth' }, { authURL: 'address' }],
    [{ authURL: 'http://id.example/auth' }, { authURL: 'address' }],
    [{ authURL: 'https://user@id.example/auth' }, { authURL: 'address' }],
    [{ authURL: 'https://id.example/auth#top' }, { authURL: 'address' }],
    [{ authURL: 'http://localhost:8090/auth' }, {}],
    [{ authURL: 'http://127.0.0.1:8090/auth' }, {}],
    [{ authURL: `https://id.example/${'a'.repeat(2000)}` }, { authURL: 'long' }],
    [{ displayName: 'é'.repeat(100) }, {}],
    [{ displayName: 'é'.repeat(101) }, { displayName: 'long' }],
    [{ displayName: 'a\tb' }, { displayName: 'line' }],
    [{ clientSecret: 'é'.repeat(4096) }, {}],
    [{ clientSecret: 'é'.repeat(4097) }, { clientSecret: 'long' }],
  ];
  for (const [change, wrong] of refused)
    assert.deepEqual(wrongOf(stored, changed(change), oidc), wrong, JSON.stringify(change).slice(0, 80));
});

test('a kept secret is not sent, and everything else is', () => {
  assert.deepEqual(bodyOf(changed({ clientId: ' shop ', pkce: '' }), oidc), {
    clientId: 'shop',
    displayName: 'Example',
    authURL: 'https://id.example/auth',
    tokenURL: 'https://id.example/token',
    userInfoURL: 'https://id.example/me',
    pkce: null,
  });
  assert.equal(bodyOf(draftOf(stored), oidc).pkce, false);
  assert.equal(bodyOf(changed({ pkce: 'on' }), oidc).pkce, true);
  assert.equal(bodyOf(changed({ clientSecret: ' new ' }), oidc).clientSecret, 'new');
});

test('Apple has a key in the place of a secret', () => {
  const key = { teamId: 'TEAM123456', keyId: ' KEY1234567', privateKey };
  const one = { ...stored, name: 'apple' };
  assert.deepEqual(wrongOf(null, draftOf(null), apple), {
    clientId: 'missing',
    teamId: 'missing',
    keyId: 'missing',
    privateKey: 'missing',
  });
  assert.deepEqual(wrongOf(one, changed({}), apple), {});
  assert.deepEqual(wrongOf(one, changed({ keyId: 'KEY1234567' }), apple), { teamId: 'again', privateKey: 'again' });
  assert.deepEqual(wrongOf(one, changed({ ...key, clientId: 'other' }), apple), {});
  assert.deepEqual(wrongOf(one, changed({ ...key, teamId: 'team', keyId: 'KEY12345678', privateKey: 'MIGT' }), apple), {
    teamId: 'appleId',
    keyId: 'appleId',
    privateKey: 'key',
  });
  const sent = bodyOf(changed({ ...key, clientSecret: 'of another kind' }), apple);
  assert.deepEqual(sent.appleKey, { teamId: 'TEAM123456', keyId: 'KEY1234567', privateKey: privateKey.trim() });
  assert.equal('clientSecret' in sent, false);
  assert.equal('appleKey' in bodyOf(changed({}), apple), false);
  assert.equal('appleKey' in bodyOf(changed(key), oidc), false);
});

test('a draft that says the same has nothing new', () => {
  assert.equal(isSame(draftOf(stored), changed({ clientId: 'shop ' })), true);
  assert.equal(isSame(draftOf(stored), changed({ clientSecret: 'x' })), false);
  assert.equal(isSame(draftOf(stored), changed({ pkce: 'on' })), false);
});

test('a refusal is shown at the field that it is about', () => {
  assert.deepEqual(refusalOf('forbidden_address', 'tokenURL: the address is private'), { tokenURL: 'private' });
  assert.deepEqual(
    refusalOf('validation_failed', 'clientSecret must be entered again when clientId or tokenURL changes'),
    { clientSecret: 'again' },
  );
  assert.deepEqual(refusalOf('validation_failed', 'clientId must be one line'), { clientId: 'refused' });
  assert.equal(refusalOf('forbidden', 'clientId'), null);
  assert.equal(refusalOf('validation_failed', 'the body is not JSON'), null);
});

test('a kind is offered once, under a name that people read', () => {
  assert.deepEqual(freeKinds([google, oidc], [stored]), [google]);
  assert.equal(kindName(google), 'Google');
  assert.equal(kindName(oidc), 'Other (OpenID Connect)');
});

test('mistakes are explained in both languages', () => {
  for (const { wrong, guides } of [t.data.signIns, de.data.signIns]) {
    for (const said of [...Object.values(wrong), ...Object.values(guides)]) assert.equal(said.endsWith('.'), true);
  }
  assert.deepEqual(Object.keys(de.data.signIns.guides), Object.keys(t.data.signIns.guides));
  assert.deepEqual(Object.keys(de.data.signIns.kindNames), Object.keys(t.data.signIns.kindNames));
});
