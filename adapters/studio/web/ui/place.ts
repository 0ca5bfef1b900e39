const [gap, margin] = [4, 8];

/**
 * place positions a popover in the top layer, so that nothing clips it: below its anchor, or
 * above if there is more room. It aligns with the anchor's side or middle and scrolls if it does
 * not fit.
 */
export function place(anchor: Element, box: HTMLElement, align: 'side' | 'middle' = 'side'): void {
  if (!box.matches(':popover-open')) box.showPopover();
  const at = anchor.getBoundingClientRect();
  const scrolled = box.scrollTop;
  box.style.maxHeight = 'none';
  const { width, height } = box.getBoundingClientRect();
  const [above, below] = [at.top - gap - margin, innerHeight - at.bottom - gap - margin];
  const isBelow = height <= below || below >= above;
  box.style.maxHeight = `${Math.max(0, isBelow ? below : above)}px`;
  box.style.top = isBelow ? `${at.bottom + gap}px` : 'auto';
  box.style.bottom = isBelow ? 'auto' : `${innerHeight - at.top + gap}px`;
  box.scrollTop = scrolled;
  const beside = at.left + width + margin <= innerWidth ? at.left : at.right - width;
  const left = align === 'side' ? beside : at.left + (at.width - width) / 2;
  box.style.left = `${Math.max(margin, Math.min(left, innerWidth - width - margin))}px`;
}

/** Box is a rectangle in the window. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/**
 * freePlace returns where a box of a size covers none of the others: at the bottom of the window
 * if there is room, otherwise as low as possible. If it covers something everywhere, it covers
 * the least.
 */
export function freePlace(
  size: { width: number; height: number },
  room: { width: number; height: number },
  others: Box[],
): { left: number; top: number } {
  const edge = 2 * margin;
  const last = Math.max(edge, room.height - size.height - edge);
  const columns = [(room.width - size.width) / 2, room.width - size.width - edge, edge].map((left) =>
    Math.max(margin, left),
  );
  let best = { left: columns[0]!, top: last };
  let least = Number.POSITIVE_INFINITY;
  for (let top = last; top >= edge; top -= margin) {
    for (const left of columns) {
      const covered = coveredAt({ left, top }, size, others);
      if (covered >= least) continue;
      least = covered;
      best = { left, top };
      if (covered === 0) return best;
    }
  }
  return best;
}

/** coveredAt returns the area of others that a box of a size covers at a place. */
export function coveredAt(
  at: { left: number; top: number },
  size: { width: number; height: number },
  others: Box[],
): number {
  return others.reduce((sum, other) => sum + common(other, at.left, at.top, size), 0);
}

// common returns the area that a box shares with one of a size at a place.
function common(box: Box, left: number, top: number, size: { width: number; height: number }): number {
  const width = Math.min(box.right, left + size.width) - Math.max(box.left, left);
  const height = Math.min(box.bottom, top + size.height) - Math.max(box.top, top);
  return width > 0 && height > 0 ? width * height : 0;
}
