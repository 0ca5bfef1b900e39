import { useRef, useState } from 'preact/hooks';

/** Task is something that a button starts and that people wait for. */
export interface Task {
  /** busy says that it is under way. */
  busy: boolean;
  /** error is why it failed last; undefined once it is begun again. */
  error: unknown;
  /** run does the work, unless it is under way already. It never throws. */
  run: (work: () => Promise<unknown>) => Promise<void>;
  /** fail says why it cannot even be begun. */
  fail: (error: unknown) => void;
  /** clear takes the error back, when what was wrong is being changed. */
  clear: () => void;
}

interface TaskOptions {
  /** leaves says that success leads away from what started it, so that it stays busy until then. */
  leaves?: boolean;
  /** onError is told of a failure besides, for those who do not show the error in its place. */
  onError?: (error: unknown) => void;
}

/** useTask keeps what is under way, and why it failed, for what a button starts. */
export function useTask({ leaves = false, onError }: TaskOptions = {}): Task {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  // Two clicks may come before the state of the first is shown.
  const running = useRef(false);
  const end = () => {
    running.current = false;
    setBusy(false);
  };
  const run = async (work: () => Promise<unknown>) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await work();
      if (!leaves) end();
    } catch (failure) {
      end();
      setError(failure);
      onError?.(failure);
    }
  };
  return { busy, error, run, fail: setError, clear: () => setError(undefined) };
}
