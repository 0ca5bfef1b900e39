import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * useFocusOnMount gives an element the focus when it appears, and again whenever wish
 * changes; false asks for nothing. Browsers heed the attribute autofocus once a
 * document and in a dialog that opens, nowhere else.
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
