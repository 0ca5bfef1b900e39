import type { RefObject } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** near is the distance from the end, in pixels, that still counts as the end. */
const near = 48;

/** StickToBottom keeps a container scrolled to its end until the user scrolls up. */
export interface StickToBottom {
  atEnd: boolean;
  toEnd: () => void;
  /** hold preserves the scroll position when content is inserted above. Call it just before. */
  hold: () => void;
  /** release stops following the end, for example when the user expands an entry. */
  release: () => void;
}

/** Place is an element and its distance from the top of the window. */
interface Place {
  element: Element;
  top: number;
}

/** useStickToBottom keeps a scroller at its end while content grows, until the user scrolls up. */
export function useStickToBottom(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): StickToBottom {
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
    // The observer runs between layout and paint, so the adjustment is invisible.
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

  // The older turns are in the DOM but not painted yet.
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
