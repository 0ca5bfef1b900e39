// The rows of the tree of layers.

import type { Layer } from './messages';

/** LayerRow is a layer that is shown. */
export interface LayerRow {
  layer: Layer;
  key: string;
  /** open is null for a layer without others inside. */
  open: boolean | null;
  /** position and size are its place among its siblings, from 1, and their number. */
  position: number;
  size: number;
}

// Layers deeper than this are closed at first.
const openDepth = 2;

export const keyOf = (trail: number[]): string => trail.join('.');

/**
 * rowsOf returns the layers that are shown. toggled are those that the user opened or closed;
 * what is around an element of shown is open.
 */
export function rowsOf(layers: Layer[], toggled: Record<string, boolean>, shown: string[]): LayerRow[] {
  const rows: LayerRow[] = [];
  let closed = Number.POSITIVE_INFINITY;
  // The siblings by depth, as far as the current layer.
  const levels: LayerRow[][] = [];
  layers.forEach((layer, at) => {
    if (layer.depth > closed) return;
    closed = Number.POSITIVE_INFINITY;
    const key = keyOf(layer.trail);
    const hasInner = (layers[at + 1]?.depth ?? 0) > layer.depth;
    const isAround = shown.some((other) => other.startsWith(`${key}.`));
    const open = hasInner ? (toggled[key] ?? (layer.depth < openDepth || isAround)) : null;
    if (open === false) closed = layer.depth;
    const row: LayerRow = { layer, key, open, position: 1, size: 1 };
    const siblings = [...(levels[layer.depth] ?? []), row];
    levels.splice(layer.depth, levels.length, siblings);
    row.position = siblings.length;
    for (const one of siblings) one.size = siblings.length;
    rows.push(row);
  });
  return rows;
}

/** typedAt returns the index of the next row whose label begins with what is typed, or -1. */
export function typedAt(labels: string[], at: number, typed: string): number {
  const wanted = typed.toLowerCase();
  const skip = typed.length === 1 ? 1 : 0;
  for (let step = skip; step < labels.length + skip; step += 1) {
    const index = (at + step) % labels.length;
    if (labels[index]!.toLowerCase().startsWith(wanted)) return index;
  }
  return -1;
}
