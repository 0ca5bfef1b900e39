import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * useFocusOnMount focuses an element on mount and whenever wish changes; false disables it.
 * Browsers apply the autofocus attribute only on page load and when a dialog opens.
 */
export function useFocusOnMount<E extends HTMLElement>(wish: unknown = true): RefObject<E> {
  const ref = useRef<E>(null) as RefObject<E>;
  useLayoutEffect(() => {
    if (wish === false || !ref.current) return;
    ref.current.focus();
    if (ref.current instanceof HTMLInputElement) ref.current.select();
  }, [wish]);
  return ref;
}
