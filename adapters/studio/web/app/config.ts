// The settings that the service writes into the page.

interface Config {
  /** base is the path at which the host serves the studio, "" for the root. */
  base: string;
  /** oauth names the sign-in providers, as used in /auth/<name>. */
  oauth: string[];
  /** sites is the domain of published sites. */
  sites: string;
  version: string;
  /** session is true if the page request carried a session, even an expired one. */
  session: boolean;
  /** fresh is true if nobody has an account yet. */
  fresh: boolean;
  /** signup says who may sign up, signupDomains with addresses at which domains. */
  signup: 'open' | 'domains' | 'invite' | 'closed';
  signupDomains: string[];
  /** passwords is false if people sign in with providers and passkeys alone. */
  passwords: boolean;
  /** companies are the providers with which people of companies sign in, at /auth/oidc/<slug>. */
  companies: { slug: string; name: string }[];
  /** nonce is the CSP nonce for the editor's style sheets. */
  nonce: string;
}

export const config: Config = {
  base: '',
  oauth: [],
  sites: '',
  version: '',
  session: false,
  fresh: false,
  signup: 'open',
  signupDomains: [],
  passwords: true,
  companies: [],
  nonce: '',
  ...JSON.parse(document.querySelector<HTMLMetaElement>('meta[name=atelier]')?.content ?? '{}'),
};
