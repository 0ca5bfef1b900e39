import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { isDialogOpen, useShortcuts } from './keys';
import { later } from './later';
import { me } from './session';

const open = signal(false);
const list = later(() => import('./palette-list'));

export function openPalette(): void {
  open.value = true;
}

/** Palette is the command palette, opened by its shortcut. Its chunk loads once somebody is signed in. */
export function Palette() {
  const toggle = () => {
    if (open.peek() || !isDialogOpen()) open.value = !open.peek();
  };
  useShortcuts(me.value ? { palette: toggle } : {});
  const needed = me.value !== null || open.value;
  useEffect(() => {
    if (needed) void list.load();
  }, [needed]);
  const List = list.view.value;
  return open.value && List ? <List onClose={() => (open.value = false)} /> : null;
}
