import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import type { ApiError } from './client';

export interface Loaded<T> {
  /** data is the last loaded value; it remains during a reload. */
  data: T | undefined;
  error: ApiError | undefined;
  loading: boolean;
  reload: () => Promise<void>;
  /** set changes the data locally after the service has accepted a change. */
  set: (change: (data: T) => T) => void;
}

/** useLoad loads data on mount and whenever the key changes. */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: ApiError; loading: boolean }>({
    key,
    loading: true,
  });
  const current = useRef<AbortController>(undefined);
  const latest = useRef(load);
  latest.current = load;

  const reload = useCallback(async () => {
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    setState((was) => ({ key, data: was.key === key ? was.data : undefined, loading: true }));
    try {
      const data = await latest.current(controller.signal);
      if (!controller.signal.aborted) setState({ key, data, loading: false });
    } catch (error) {
      if (!controller.signal.aborted) setState((was) => ({ ...was, error: error as ApiError, loading: false }));
    }
  }, [key]);

  useEffect(() => {
    void reload();
    return () => current.current?.abort();
  }, [reload]);

  const set = useCallback((change: (data: T) => T) => {
    setState((was) => (was.data === undefined ? was : { ...was, data: change(was.data) }));
  }, []);
  const fresh = state.key === key;
  return {
    data: fresh ? state.data : undefined,
    error: fresh ? state.error : undefined,
    loading: !fresh || state.loading,
    reload,
    set,
  };
}
