import { signal } from '@preact/signals';

import { useKeys, useShortcuts } from './keys';
import { later } from './later';

const open = signal(false);
const dialog = later(() => import('./shortcut-dialog'));

export function openShortcuts(): void {
  open.value = true;
  void dialog.load();
}

/** Shortcuts listens to the keyboard, and shows the shortcuts of the page when asked to. */
export function Shortcuts() {
  useKeys();
  useShortcuts({ shortcuts: openShortcuts });
  const View = dialog.view.value;
  return open.value && View ? <View onClose={() => (open.value = false)} /> : null;
}
