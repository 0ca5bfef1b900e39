import { useLayoutEffect, useRef, useState } from 'preact/hooks';

// The number of rows that are rendered above and below the visible ones.
const around = 12;

/**
 * useVisibleRows finds out which of count rows, all of the same height, are visible in a
 * scrolling box, so that only those are rendered: the rows [from, to). bring scrolls a row
 * into view, below a header of some height.
 */
export function useVisibleRows(count: number, rowHeight: number) {
  const box = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const element = box.current!;
    const look = () => setSight({ top: element.scrollTop, height: element.clientHeight });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      sizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);

  const bring = (index: number, header = 0) => {
    if (index < 0) return;
    const element = box.current!;
    const top = index * rowHeight;
    const bottom = top + rowHeight + header;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
  };
  const from = Math.max(0, Math.min(count, Math.floor(sight.top / rowHeight) - around));
  const to = Math.min(count, Math.ceil((sight.top + sight.height) / rowHeight) + around);
  return { box, from, to, bring };
}
