import { type Signal, signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';

/** Later is a component in a chunk of its own. */
interface Later<Props> {
  /** view is the component, null until it is loaded. */
  view: Signal<FunctionComponent<Props> | null>;
  /** load loads it once. A failure is tried again by the next call. */
  load: () => Promise<void>;
}

/** later leaves a component out of the first load. */
export function later<Props>(load: () => Promise<{ default: FunctionComponent<Props> }>): Later<Props> {
  const view = signal<FunctionComponent<Props> | null>(null);
  let loading: Promise<void> | null = null;
  const start = async () => {
    try {
      view.value = (await load()).default;
    } catch {
      loading = null; // away: the next call tries again
    }
  };
  return { view, load: () => (loading ??= start()) };
}
