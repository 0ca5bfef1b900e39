// The form of a sign-in provider: its fields, their validation, and the request body.

import type { SignInKind, SignInProvider } from '~/api/types';
import { t } from '~/text';

/** Member names a text field of a provider, as the API does. */
export type Member = keyof typeof longest;

/** Wrong is a validation error of a field. */
export type Wrong = 'missing' | 'long' | 'line' | 'address' | 'appleId' | 'key' | 'again' | 'private' | 'refused';

export type Wrongs = Partial<Record<Member, Wrong>>;

/** SignInDraft is the state of the form. */
export type SignInDraft = Record<Member, string> & { pkce: '' | 'on' | 'off' };

/** addresses are the members that are addresses. */
export const addresses = ['authURL', 'tokenURL', 'userInfoURL'] as const;

/** appleKey are the fields of a key from Apple, which replaces the client secret. */
export const appleKey = ['teamId', 'keyId', 'privateKey'] as const;

// How long the service takes them: characters, and bytes of the secret.
const longest = {
  clientId: 500,
  clientSecret: 8192,
  teamId: 10,
  keyId: 10,
  privateKey: 2048,
  displayName: 100,
  authURL: 2000,
  tokenURL: 2000,
  userInfoURL: 2000,
};
const members = Object.keys(longest) as Member[];

/** draftOf returns a provider to be changed, or a new one. */
export function draftOf(provider: SignInProvider | null): SignInDraft {
  const { clientId = '', displayName = '', authURL = '', tokenURL = '', userInfoURL = '' } = provider ?? {};
  const pkce = provider?.pkce ?? null;
  return {
    clientId,
    clientSecret: '',
    teamId: '',
    keyId: '',
    privateKey: '',
    displayName,
    authURL,
    tokenURL,
    userInfoURL,
    pkce: pkce === null ? '' : pkce ? 'on' : 'off',
  };
}

/** isSame reports whether two drafts save the same. */
export function isSame(a: SignInDraft, b: SignInDraft): boolean {
  return a.pkce === b.pkce && members.every((name) => a[name].trim() === b[name].trim());
}

/**
 * keepsSecret reports whether the service keeps the present secret. With another client ID or
 * token address, it must be entered again.
 */
export function keepsSecret(provider: SignInProvider | null, draft: SignInDraft): boolean {
  return (
    provider !== null && provider.clientId === draft.clientId.trim() && provider.tokenURL === draft.tokenURL.trim()
  );
}

/** hasKey reports whether a kind of provider takes a key instead of a client secret. */
export function hasKey(kind: Pick<SignInKind, 'name'>): boolean {
  return kind.name === 'apple';
}

/** wrongOf validates a draft by the rules of the service. */
export function wrongOf(provider: SignInProvider | null, draft: SignInDraft, kind: SignInKind): Wrongs {
  const needed = new Set<Member>(['clientId', ...(kind.addressed ? addresses : [])]);
  const secret: readonly Member[] = hasKey(kind) ? appleKey : ['clientSecret'];
  if (!keepsSecret(provider, draft) || secret.some((name) => draft[name].trim()))
    for (const name of secret) needed.add(name);
  const wrong: Wrongs = {};
  for (const name of membersOf(kind)) {
    const text = draft[name].trim();
    const missing = provider && secret.includes(name) ? 'again' : 'missing';
    const found = text ? wrongText(name, text) : needed.has(name) ? missing : null;
    if (found) wrong[name] = found;
  }
  return wrong;
}

// membersOf returns the fields of a kind of provider.
function membersOf(kind: Pick<SignInKind, 'name'>): Member[] {
  return members.filter((name) => (hasKey(kind) ? name !== 'clientSecret' : !isKey(name)));
}

const isKey = (name: Member) => appleKey.some((one) => one === name);

function wrongText(name: Member, text: string): Wrong | null {
  const length = name === 'clientSecret' ? new TextEncoder().encode(text).length : [...text].length;
  if (name === 'teamId' || name === 'keyId') return /^[A-Z0-9]{10}$/.test(text) ? null : 'appleId';
  if (length > longest[name]) return 'long';
  if (name === 'privateKey') return isFile(text) ? null : 'key';
  if (/\p{Cc}/u.test(text)) return 'line';
  if (addresses.some((one) => one === name) && !isAddress(text)) return 'address';
  return null;
}

const isFile = (text: string) => /^-----BEGIN PRIVATE KEY-----\s[^-]+-----END PRIVATE KEY-----$/.test(text);

// isAddress reports whether a text is an HTTPS address, or one of this machine.
function isAddress(text: string): boolean {
  if (!URL.canParse(text) || text.includes('#')) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  return (protocol === 'https:' || (protocol === 'http:' && isLocal)) && !username && !password;
}

/** bodyOf returns the request body. Without a new secret, the service keeps the present one. */
export function bodyOf(draft: SignInDraft, kind: Pick<SignInKind, 'name'>): Record<string, unknown> {
  const entered = (names: readonly Member[]) => Object.fromEntries(names.map((name) => [name, draft[name].trim()]));
  const plain = membersOf(kind).filter((name) => !isKey(name) && (name !== 'clientSecret' || draft[name].trim()));
  return {
    ...entered(plain),
    ...(hasKey(kind) && draft.privateKey.trim() && { appleKey: entered(appleKey) }),
    pkce: draft.pkce === '' ? null : draft.pkce === 'on',
  };
}

/** refusalOf returns the field that an error of the service is about, or null. */
export function refusalOf(code: string, message: string): Wrongs | null {
  const name = members.find((one) => new RegExp(`^${one}\\b`).test(message));
  if (!name) return null;
  if (code === 'forbidden_address') return { [name]: 'private' };
  if (code !== 'validation_failed') return null;
  return { [name]: message.includes('entered again') ? 'again' : 'refused' };
}

// consoles are the pages on which applications are registered.
const consoles: Record<string, string> = {
  google: 'https://console.cloud.google.com/auth/clients',
  github: 'https://github.com/settings/developers',
  microsoft: 'https://entra.microsoft.com/',
  apple: 'https://developer.apple.com/account/resources/identifiers/list/serviceId',
  discord: 'https://discord.com/developers/applications',
  facebook: 'https://developers.facebook.com/apps/',
  gitlab: 'https://gitlab.com/-/user_settings/applications',
  spotify: 'https://developer.spotify.com/dashboard',
  twitch: 'https://dev.twitch.tv/console/apps',
};

/** consoleOf is where an application is registered with a kind of provider, if that is known. */
export function consoleOf(kind: string): string | undefined {
  return consoles[kind];
}

/** kindName is what people call a kind of provider. */
export function kindName({ name, displayName }: Pick<SignInKind, 'name' | 'displayName'>): string {
  return t.data.signIns.kindNames[name] ?? displayName;
}

/** freeKinds are the kinds that are not set up yet. */
export function freeKinds(kinds: SignInKind[], items: SignInProvider[]): SignInKind[] {
  return kinds.filter(({ name }) => items.every((one) => one.name !== name));
}
