// Providers with which end users sign in: what is entered of one, and what is wrong with it.

import type { SignInKind, SignInProvider } from '~/api/types';
import { t } from '~/text';

/** Member is one of a provider that people enter as text, by its name in the interface. */
export type Member = 'clientId' | 'clientSecret' | 'displayName' | 'authURL' | 'tokenURL' | 'userInfoURL';

/** Wrong is what is wrong with a member. */
export type Wrong = 'missing' | 'long' | 'line' | 'address' | 'again' | 'private' | 'refused';

export type Wrongs = Partial<Record<Member, Wrong>>;

/** SignInDraft is a provider as it is being entered. */
export type SignInDraft = Record<Member, string> & { pkce: '' | 'on' | 'off' };

/** addresses are the members that are addresses. */
export const addresses = ['authURL', 'tokenURL', 'userInfoURL'] as const;

// How long the service takes them: characters, and bytes of the secret.
const longest: Record<Member, number> = {
  clientId: 500,
  clientSecret: 8192,
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
    displayName,
    authURL,
    tokenURL,
    userInfoURL,
    pkce: pkce === null ? '' : pkce ? 'on' : 'off',
  };
}

/** isSame is whether a draft has nothing new. */
export function isSame(a: SignInDraft, b: SignInDraft): boolean {
  return a.pkce === b.pkce && members.every((name) => a[name].trim() === b[name].trim());
}

/**
 * keepsSecret is whether the service goes on with the secret that it has. A secret does
 * not follow to another client or another address: it is entered again.
 */
export function keepsSecret(provider: SignInProvider | null, draft: SignInDraft): boolean {
  return (
    provider !== null && provider.clientId === draft.clientId.trim() && provider.tokenURL === draft.tokenURL.trim()
  );
}

/** wrongOf checks a draft by the rules of the service. */
export function wrongOf(provider: SignInProvider | null, draft: SignInDraft, kind: SignInKind): Wrongs {
  const needed = new Set<Member>(['clientId', ...(kind.addressed ? addresses : [])]);
  const wrong: Wrongs = {};
  for (const name of members) {
    const text = draft[name].trim();
    const found = text ? wrongText(name, text) : needed.has(name) ? 'missing' : null;
    if (found) wrong[name] = found;
  }
  if (!draft.clientSecret.trim() && !keepsSecret(provider, draft)) wrong.clientSecret = provider ? 'again' : 'missing';
  return wrong;
}

function wrongText(name: Member, text: string): Wrong | null {
  const length = name === 'clientSecret' ? new TextEncoder().encode(text).length : [...text].length;
  if (length > longest[name]) return 'long';
  if (/\p{Cc}/u.test(text)) return 'line';
  if (addresses.some((one) => one === name) && !isAddress(text)) return 'address';
  return null;
}

// isAddress is whether a secret may be sent to an address: with HTTPS, or to this very machine.
function isAddress(text: string): boolean {
  if (!URL.canParse(text) || text.includes('#')) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
  return (protocol === 'https:' || (protocol === 'http:' && isLocal)) && !username && !password;
}

/** bodyOf is what is sent. Without a new secret, the service keeps the one that it has. */
export function bodyOf({ pkce, ...draft }: SignInDraft): Record<string, string | boolean | null> {
  const texts = members
    .map((name) => [name, draft[name].trim()] as const)
    .filter(([name, text]) => name !== 'clientSecret' || text);
  return { ...Object.fromEntries(texts), pkce: pkce === '' ? null : pkce === 'on' };
}

/** refusalOf says which member the service refuses, and null if its error is about none. */
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

/** freeKinds are those of which there is none yet. */
export function freeKinds(kinds: SignInKind[], items: SignInProvider[]): SignInKind[] {
  return kinds.filter(({ name }) => items.every((one) => one.name !== name));
}
