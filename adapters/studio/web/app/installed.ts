// What makes the studio an application that can be installed: the service worker, which shows a
// page of its own when the service cannot be reached (public/worker.js).

import { currentLanguage, t } from '~/text';
import { outside } from './base';

/** The one policy that the page's Content-Security-Policy allows. */
const policy = 'atelier-worker';

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): { createScriptURL: (address: string) => string };
}

/**
 * serveOffline registers the service worker, once the page is loaded, and tells it the words of
 * its page. Without a secure connection browsers have no service workers.
 */
export function serveOffline(): void {
  if (!('serviceWorker' in navigator)) return;
  const address = outside('/worker.js');
  const types = (window as unknown as { trustedTypes?: Policies }).trustedTypes;
  // The policy makes this one address, whatever it is given, and there can be no second one.
  const script = types?.createPolicy(policy, { createScriptURL: () => address }).createScriptURL('') ?? address;
  const register = async () => {
    await navigator.serviceWorker.register(script, { updateViaCache: 'none' });
    const { active } = await navigator.serviceWorker.ready;
    const { title, text, again } = t.shell.away;
    active?.postMessage({ lang: currentLanguage(), title, text, again });
  };
  // Who browses privately may have no workers. Everything but the offline page works without.
  const begin = () => void register().catch(() => {});
  if (document.readyState === 'complete') begin();
  else addEventListener('load', begin, { once: true });
}
