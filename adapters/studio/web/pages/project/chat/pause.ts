const longestWait = 8000;

/** pause waits longer after each attempt, but ends when the browser is online again. */
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
