// Passkeys (WebAuthn): what the browser is asked, with the options of the service and with answers
// as the service reads them. Bytes are in base64url, as PublicKeyCredential.toJSON has them, which
// not every browser and password manager knows.

import { t } from '~/text';

/** Bytes is the text of bytes in base64url. */
type Bytes = string;

interface Described {
  type: 'public-key';
  id: Bytes;
  transports?: AuthenticatorTransport[];
}

/** CreationOptions are the service's for making a passkey. */
export interface CreationOptions
  extends Omit<PublicKeyCredentialCreationOptions, 'challenge' | 'user' | 'excludeCredentials'> {
  challenge: Bytes;
  user: { id: Bytes; name: string; displayName: string };
  excludeCredentials?: Described[];
}

/** RequestOptions are the service's for using a passkey. */
export interface RequestOptions extends Omit<PublicKeyCredentialRequestOptions, 'challenge' | 'allowCredentials'> {
  challenge: Bytes;
  allowCredentials?: Described[];
}

/** Cancelled is the failure of a question that the user closed or left without an answer. */
export class Cancelled extends Error {}

/** Obstacle is why passkeys do not work on a page. */
export type Obstacle = 'insecure' | 'unnamed' | 'unsupported';

/** obstacle returns what keeps passkeys from working here, undefined if they do. */
export function obstacle(): Obstacle | undefined {
  return obstacleOf(window.isSecureContext, location.hostname, 'PublicKeyCredential' in window);
}

/** obstacleOf is obstacle of a page: browsers have passkeys on secure pages only, and for names. */
export function obstacleOf(secure: boolean, host: string, supported: boolean): Obstacle | undefined {
  if (!secure) return 'insecure';
  if (/^[\d.]+$/.test(host) || host.startsWith('[')) return 'unnamed';
  return supported ? undefined : 'unsupported';
}

/** makePasskey lets the browser make a passkey, and returns it for the service. */
export async function makePasskey(options: CreationOptions): Promise<unknown> {
  const publicKey: PublicKeyCredentialCreationOptions = {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: options.excludeCredentials?.map(described),
  };
  const made = await answerOf(() => navigator.credentials.create({ publicKey }));
  const response = made.response as AuthenticatorAttestationResponse;
  return inJSON(made, {
    attestationObject: textOf(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  });
}

/** usePasskey lets the browser use a passkey, and returns the proof for the service. */
export async function usePasskey(options: RequestOptions): Promise<unknown> {
  const publicKey: PublicKeyCredentialRequestOptions = {
    ...options,
    challenge: bytesOf(options.challenge),
    allowCredentials: options.allowCredentials?.map(described),
  };
  const used = await answerOf(() => navigator.credentials.get({ publicKey }));
  const response = used.response as AuthenticatorAssertionResponse;
  return inJSON(used, {
    authenticatorData: textOf(response.authenticatorData),
    signature: textOf(response.signature),
    userHandle: response.userHandle ? textOf(response.userHandle) : undefined,
  });
}

/** deviceName is what a passkey of this device may be called. */
export function deviceName(agent = navigator.userAgent): string {
  const names = t.passkeys.devices;
  if (/iPhone/.test(agent)) return 'iPhone';
  if (/iPad/.test(agent)) return 'iPad';
  if (/Android/.test(agent)) return names.android;
  if (/Windows/.test(agent)) return names.windows;
  if (/Macintosh/.test(agent)) return 'Mac';
  if (/CrOS/.test(agent)) return 'Chromebook';
  if (/Linux/.test(agent)) return names.linux;
  return names.other;
}

/** freeName adds a number to a name that is taken. */
export function freeName(name: string, taken: string[]): string {
  let free = name;
  for (let count = 2; taken.includes(free); count++) free = `${name} ${count}`;
  return free;
}

async function answerOf(question: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  let answer: Credential | null;
  try {
    answer = await question();
  } catch (failure) {
    throw inOwnWords(failure);
  }
  if (!answer) throw new Cancelled();
  return answer as PublicKeyCredential;
}

// inOwnWords explains a failure of a browser, whose own words are in its own language.
function inOwnWords(failure: unknown): Error {
  switch ((failure as Partial<Error> | null)?.name) {
    // Browsers do not tell a refusal from a question that nobody answered.
    case 'NotAllowedError':
    case 'AbortError':
      return new Cancelled();
    case 'InvalidStateError':
      return new Error(t.passkeys.exists);
    case 'SecurityError':
      return new Error(t.passkeys.elsewhere);
    default:
      return new Error(t.passkeys.failed, { cause: failure });
  }
}

function inJSON(credential: PublicKeyCredential, response: object): unknown {
  return {
    id: credential.id,
    rawId: textOf(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: {},
    response: { clientDataJSON: textOf(credential.response.clientDataJSON), ...response },
  };
}

function described({ id, ...rest }: Described): PublicKeyCredentialDescriptor {
  return { ...rest, id: bytesOf(id) };
}

/** bytesOf reads base64url. */
export function bytesOf(text: Bytes): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
}

/** textOf writes base64url. */
export function textOf(bytes: ArrayBuffer): Bytes {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
