import { useRef, useState } from 'preact/hooks';

/** Task is an asynchronous action that a button starts. */
export interface Task {
  busy: boolean;
  /** error is the last failure; undefined after a restart. */
  error: unknown;
  /** run does the work unless the task is already running. It never throws. */
  run: (work: () => Promise<unknown>) => Promise<void>;
  /** fail sets an error without running anything. */
  fail: (error: unknown) => void;
  /** clear removes the error when the user corrects the input. */
  clear: () => void;
}

interface TaskOptions {
  /** leaves is true if success navigates away, so that the task stays busy until then. */
  leaves?: boolean;
  /** onError also receives failures, for callers that do not show error. */
  onError?: (error: unknown) => void;
}

/** useTask tracks the state and the error of an action. */
export function useTask({ leaves = false, onError }: TaskOptions = {}): Task {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  // A second click may arrive before the first is rendered.
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
