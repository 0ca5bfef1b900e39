import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface ModalProps {
  class: string;
  'aria-label'?: string;
  'aria-labelledby'?: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** presses reports whether a key presses the button that has the focus. */
const presses = (event: KeyboardEvent) => event.key === 'Enter' || event.key === ' ';

/**
 * ignoreUntilKeyUp keeps a key that is down from pressing anything. Its keypress comes to whatever
 * has the focus by then: to the button that opened a dialog, once the key has closed that.
 */
function ignoreUntilKeyUp() {
  const types = ['keydown', 'keypress', 'keyup'] as const;
  const ignore = (event: KeyboardEvent) => {
    const pressedAnew = event.type === 'keydown' && !event.repeat;
    if (presses(event) && !pressedAnew) event.preventDefault();
    if (event.type === 'keyup' || pressedAnew)
      for (const type of types) document.removeEventListener(type, ignore, true);
  };
  for (const type of types) document.addEventListener(type, ignore, true);
}

/**
 * Modal shows its children above the page while it is rendered. Escape and a click outside
 * request to close it. The previously focused element gets the focus back. A key that is held
 * down while it opens does nothing in it, and the key that closes it does nothing outside.
 */
export function Modal({ onClose, children, ...look }: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const held = useRef(true);
  const pressing = useRef(false);
  // A useEffect would come after the next frame: a key pressed before it would reach the page below,
  // and its end would take the focus from what has been opened meanwhile.
  useLayoutEffect(() => {
    const dialog = ref.current!;
    dialog.showModal();
    return () => {
      dialog.close();
      if (pressing.current) ignoreUntilKeyUp();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      {...look}
      onKeyDownCapture={(event) => {
        held.current &&= event.repeat;
        pressing.current = presses(event);
        if (!held.current || !pressing.current) return;
        // Else the repetition would press what has the focus now, such as the button that closes.
        event.preventDefault();
        event.stopPropagation();
      }}
      onKeyUpCapture={() => {
        held.current = false;
        pressing.current = false;
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
