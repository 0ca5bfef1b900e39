// The settings that the service writes into the page.

interface Config {
  /** base is the path of its host below which the service is, "" for none. */
  base: string;
  /** oauth names the providers that one can sign in with, as in /auth/<name>. */
  oauth: string[];
  /** sites is the domain below which projects are published. */
  sites: string;
  version: string;
  /** session is true if the page was requested with a session, even an ended one. */
  session: boolean;
  /** nonce allows the editor its own style sheets. */
  nonce: string;
}

export const config: Config = {
  base: '',
  oauth: [],
  sites: '',
  version: '',
  session: false,
  nonce: '',
  ...JSON.parse(document.querySelector<HTMLMetaElement>('meta[name=atelier]')?.content ?? '{}'),
};
