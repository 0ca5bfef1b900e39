import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** near is how many pixels from the end still count as the end. */
const near = 48;

/** Ending keeps a scrolled element at its end, until its reader scrolls up. */
export interface Ending {
  atEnd: boolean;
  toEnd: () => void;
  /** hold keeps the visible content in place, right before something is inserted above it. */
  hold: () => void;
  /** release lets what grows push the end away, as when a reader opens something. */
  release: () => void;
}

/** Place is an element and how far from the top of the window it is. */
interface Place {
  element: Element;
  top: number;
}

export function useEnding(scroller: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>): Ending {
  const [atEnd, setAtEnd] = useState(true);
  const stuck = useRef(true);
  const held = useRef<Place | null>(null);
  const setStuck = (value: boolean) => {
    stuck.current = value;
    setAtEnd(value);
  };

  useEffect(() => {
    const view = scroller.current!;
    let was = view.scrollTop;
    const onScroll = () => {
      const left = view.scrollHeight - view.clientHeight - view.scrollTop;
      if (left < near) setStuck(true);
      else if (view.scrollTop < was - 1) setStuck(false);
      was = view.scrollTop;
    };
    // It is called between layout and paint, so nothing is seen to jump.
    const observer = new ResizeObserver(() => {
      if (stuck.current) view.scrollTop = view.scrollHeight;
      was = view.scrollTop;
    });
    observer.observe(content.current!);
    observer.observe(view);
    view.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      view.removeEventListener('scroll', onScroll);
    };
  }, []);

  // The older turns are in the DOM now, and not painted yet.
  useLayoutEffect(() => {
    if (held.current)
      scroller.current!.scrollTop += held.current.element.getBoundingClientRect().top - held.current.top;
    held.current = null;
  });

  return {
    atEnd,
    toEnd: useCallback(() => {
      setStuck(true);
      scroller.current!.scrollTop = scroller.current!.scrollHeight;
    }, []),
    hold: useCallback(() => {
      held.current = firstInView(scroller.current!, content.current!);
    }, []),
    release: useCallback(() => {
      stuck.current = false;
    }, []),
  };
}

// firstInView finds the first visible element.
function firstInView(view: Element, content: Element): Place | null {
  const edge = view.getBoundingClientRect().top;
  const element = [...content.children].find((child) => child.getBoundingClientRect().bottom > edge);
  return element ? { element, top: element.getBoundingClientRect().top } : null;
}
