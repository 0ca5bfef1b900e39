import type { FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/**
 * useDeferred loads a component once it is wanted, and returns null until then. The first
 * scripts use app/later.ts: what they share with pages would become one more request.
 */
export function useDeferred<Props>(
  load: () => Promise<{ default: FunctionComponent<Props> }>,
  wanted: boolean,
): FunctionComponent<Props> | null {
  const [view, setView] = useState<FunctionComponent<Props> | null>(null);
  useEffect(() => {
    if (!wanted || view) return;
    load().then(
      (loaded) => setView(() => loaded.default),
      () => {}, // away: tried again when it is wanted again
    );
  }, [wanted]);
  return view;
}
