import assert from 'node:assert/strict';
import { test } from 'node:test';

import { bytesOf, Cancelled, deviceName, freeName, makePasskey, obstacleOf, textOf, usePasskey } from './passkeys';

test('bytes survive base64url', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
  for (const count of [0, 1, 2, 3, 255, 256]) {
    const text = textOf(bytes.slice(0, count).buffer);
    assert(/^[\w-]*$/.test(text), `got ${text}`);
    assert.deepEqual(bytesOf(text), bytes.slice(0, count));
  }
  assert.deepEqual([...bytesOf('-_8')], [251, 255]);
});

test('what keeps passkeys from working is named', () => {
  assert.equal(obstacleOf(true, 'atelier.example', true), undefined);
  assert.equal(obstacleOf(true, 'localhost', true), undefined);
  assert.equal(obstacleOf(false, 'atelier.example', false), 'insecure');
  assert.equal(obstacleOf(true, '127.0.0.1', true), 'unnamed');
  assert.equal(obstacleOf(true, '[::1]', true), 'unnamed');
  assert.equal(obstacleOf(true, 'atelier.example', false), 'unsupported');
});

test('a passkey is called as the device, and not as another one', () => {
  assert.equal(deviceName('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)'), 'iPhone');
  assert.equal(deviceName('Mozilla/5.0 (Linux; Android 15; Pixel 9)'), 'Android phone');
  assert.equal(deviceName('Mozilla/5.0 (Windows NT 10.0; Win64; x64)'), 'Windows PC');
  assert.equal(deviceName('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'), 'Mac');
  assert.equal(deviceName(''), 'My passkey');
  assert.equal(freeName('Mac', []), 'Mac');
  assert.equal(freeName('Mac', ['Mac', 'Mac 2']), 'Mac 3');
});

/** withBrowser answers the page's questions for passkeys. */
async function withBrowser(answer: (asked: unknown) => unknown, act: () => Promise<void>) {
  const question = async (asked: unknown) => answer(asked);
  const value = { credentials: { get: question, create: question } };
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value });
  await act();
}

const buffer = (text: string) => bytesOf(text).buffer;

test('a passkey that is made or used is told in JSON', async () => {
  const known = { id: 'AQI', rawId: buffer('AQI'), type: 'public-key', authenticatorAttachment: null };
  let asked: unknown;
  const made = {
    ...known,
    response: { clientDataJSON: buffer('e30'), attestationObject: buffer('oA'), getTransports: () => ['internal'] },
  };
  await withBrowser(
    (question) => {
      asked = question;
      return made;
    },
    async () => {
      const told = await makePasskey({
        challenge: 'AAE',
        rp: { id: 'localhost', name: 'Atelier' },
        user: { id: 'Aw', name: 'ada@example.com', displayName: 'Ada' },
        pubKeyCredParams: [],
        excludeCredentials: [{ type: 'public-key', id: 'BA' }],
      });
      assert.deepEqual(JSON.parse(JSON.stringify(told)), {
        id: 'AQI',
        rawId: 'AQI',
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON: 'e30', attestationObject: 'oA', transports: ['internal'] },
      });
    },
  );
  const { publicKey } = asked as { publicKey: PublicKeyCredentialCreationOptions };
  assert.deepEqual([publicKey.challenge, publicKey.user.id], [bytesOf('AAE'), bytesOf('Aw')]);
  assert.deepEqual(publicKey.excludeCredentials, [{ type: 'public-key', id: bytesOf('BA') }]);
  const response = {
    clientDataJSON: buffer('e30'),
    authenticatorData: buffer('AA'),
    signature: buffer('BB'),
    userHandle: buffer('Aw'),
  };
  await withBrowser(
    () => ({ ...known, response }),
    async () => {
      const told = (await usePasskey({ challenge: 'AAE' })) as { response: unknown };
      assert.deepEqual(told.response, {
        clientDataJSON: 'e30',
        authenticatorData: 'AA',
        signature: textOf(response.signature),
        userHandle: 'Aw',
      });
    },
  );
});

test('a cancelled question is told from what the browser cannot do', async () => {
  const failing = (name: string) =>
    withBrowser(
      () => {
        throw new DOMException('words of the browser', name);
      },
      async () => void (await usePasskey({ challenge: 'AAE' })),
    );
  await assert.rejects(failing('NotAllowedError'), Cancelled);
  await assert.rejects(failing('AbortError'), Cancelled);
  await assert.rejects(failing('InvalidStateError'), /already has a passkey/);
  await assert.rejects(failing('SecurityError'), /at this address/);
  await assert.rejects(failing('UnknownError'), /couldn’t use a passkey/);
  await assert.rejects(
    withBrowser(
      () => null,
      async () => void (await usePasskey({ challenge: 'AAE' })),
    ),
    Cancelled,
  );
});
