import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface ModalProps {
  class: string;
  'aria-label'?: string;
  'aria-labelledby'?: string;
  onClose: () => void;
  children: ComponentChildren;
}

/**
 * Modal shows its children above the page while it is rendered. Escape and a click outside
 * request to close it. The previously focused element gets the focus back. A key that is held
 * down while it opens does nothing in it.
 */
export function Modal({ onClose, children, ...look }: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const held = useRef(true);
  useEffect(() => ref.current!.showModal(), []);
  // Closing gives the focus back. The end of a useEffect would come after the next frame, and
  // take the focus from what has been opened meanwhile.
  useLayoutEffect(() => {
    const dialog = ref.current!;
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={ref}
      {...look}
      onKeyDownCapture={(event) => {
        held.current &&= event.repeat;
        if (!held.current || (event.key !== 'Enter' && event.key !== ' ')) return;
        // Else the repetition would press what has the focus now, such as the button that closes.
        event.preventDefault();
        event.stopPropagation();
      }}
      onKeyUpCapture={() => {
        held.current = false;
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
