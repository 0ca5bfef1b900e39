import { useRef, useState } from 'preact/hooks';

/** Task is something that a button starts and that people wait for. */
export interface Task {
  /** busy is true while it runs. */
  busy: boolean;
  /** error is why it failed last; undefined once it is begun again. */
  error: unknown;
  /** run does the work, unless it is under way already. It never throws. */
  run: (work: () => Promise<unknown>) => Promise<void>;
  /** fail sets an error without a call. */
  fail: (error: unknown) => void;
  /** clear removes the error, when the input is being corrected. */
  clear: () => void;
}

interface TaskOptions {
  /** leaves means that success navigates away, so it stays busy until then. */
  leaves?: boolean;
  /** onError also gets a failure, for callers that do not show the error in place. */
  onError?: (error: unknown) => void;
}

/** useTask keeps the state of the action that a button starts, and its error. */
export function useTask({ leaves = false, onError }: TaskOptions = {}): Task {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  // A second click may arrive before the first one is rendered.
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
