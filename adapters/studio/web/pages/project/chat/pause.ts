const longestWait = 8000;

/** pause waits longer with each try, but no longer than until the connection is back. */
export function pause(tries: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(longestWait, 400 * 2 ** tries));
    addEventListener('online', done);
    signal.addEventListener('abort', done);
  });
}
