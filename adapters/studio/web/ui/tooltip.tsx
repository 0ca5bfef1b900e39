import { useEffect, useRef, useState } from 'preact/hooks';

import { place } from './place';

/** How long the pointer rests on a button, and a finger presses it, before its tooltip shows. */
const [rest, press] = [350, 450];

/**
 * Tooltips shows the labels of buttons without words: those with data-tip. The application has
 * one instance. Screen readers get the same words from aria-label, so the tooltip is hidden from
 * them.
 */
export function Tooltips() {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const words = anchor?.dataset.tip;
  useEffect(() => follow(box.current!, setAnchor), []);
  useEffect(() => {
    if (words && anchor?.isConnected) place(anchor, box.current!, 'middle');
    else if (box.current!.matches(':popover-open')) box.current!.hidePopover();
  }, [anchor, words]);
  return (
    <div class="tooltip" popover="manual" aria-hidden="true" ref={box}>
      {words}
    </div>
  );
}

// follow watches which button is pointed at, focused with the keyboard, or pressed for long. It
// returns what stops it.
function follow(box: HTMLElement, show: (anchor: HTMLElement | null) => void): () => void {
  let timer = 0;
  let shown: HTMLElement | null = null;
  const turn = (next: HTMLElement | null, after: number) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      shown = next;
      show(next);
    }, after);
  };
  const hide = () => {
    clearTimeout(timer);
    if (shown) show(null);
    shown = null;
  };
  const stop = new AbortController();
  const on = <Name extends keyof DocumentEventMap>(name: Name, act: (event: DocumentEventMap[Name]) => void) =>
    document.addEventListener(name, act, { signal: stop.signal, capture: true });

  on('pointerover', (event) => {
    if (event.pointerType === 'touch' || event.buttons !== 0) return;
    const over = tipOf(event.target);
    // The pointer may move onto the tooltip, to read it.
    if (over) turn(over, shown ? 0 : rest);
    else if (!box.contains(event.target as Node)) hide();
  });
  on('focusin', (event) => {
    const focused = tipOf(event.target);
    if (focused?.matches(':focus-visible')) turn(focused, rest);
  });
  on('focusout', hide);
  on('scroll', hide);
  on('pointerdown', (event) => {
    hide();
    const pressed = event.pointerType === 'touch' && tipOf(event.target);
    if (pressed) turn(pressed, press);
  });
  // Who pressed for long has read the tooltip and does not mean the button.
  on('click', (event) => {
    if (shown && (event as PointerEvent).pointerType === 'touch') {
      event.preventDefault();
      event.stopPropagation();
    }
    hide();
  });
  on('contextmenu', (event) => {
    if (shown && (event as PointerEvent).pointerType === 'touch') event.preventDefault();
  });
  on('pointercancel', hide);
  on('keydown', hide);
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

// tipOf returns the button with a tooltip at an event's target. A menu that is open says what
// it is.
function tipOf(target: EventTarget | null): HTMLElement | null {
  const found = target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null;
  return found?.getAttribute('aria-expanded') === 'true' ? null : found;
}
