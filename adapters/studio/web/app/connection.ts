// Whether the service can be reached, as far as the page has noticed.

import { signal } from '@preact/signals';

import { api, whenReached } from '~/api/client';

/** every is how often an unreachable service is asked again, in milliseconds. */
const every = 5000;

export const isOffline = signal(!navigator.onLine);

/** lookAgain asks the service; its answer ends the mark. */
export function lookAgain(): void {
  void api.get('/healthz').catch(() => {});
}

/** watchConnection keeps isOffline until it is called off. */
export function watchConnection(): () => void {
  const lost = () => {
    isOffline.value = true;
  };
  whenReached((reached) => {
    isOffline.value = !reached;
  });
  addEventListener('offline', lost);
  addEventListener('online', lookAgain);
  const timer = setInterval(() => {
    if (isOffline.peek() && !document.hidden) lookAgain();
  }, every);
  return () => {
    whenReached(() => {});
    removeEventListener('offline', lost);
    removeEventListener('online', lookAgain);
    clearInterval(timer);
  };
}
