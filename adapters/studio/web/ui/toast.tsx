import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

import { t } from '~/text';
import { IconButton } from './button';
import { inWords } from './failure';
import { Icon } from './icon';
import { coveredAt, freePlace } from './place';

interface Toast {
  id: number;
  kind: 'good' | 'error';
  text: string;
}

/** settleEvery is how often a toast looks whether it covers something, in milliseconds. */
const settleEvery = 200;

const toasts = signal<Toast[]>([]);
let last = 0;

/** say shows a success message for a few seconds. */
export function say(text: string): void {
  show('good', text, 4000);
}

/** complain shows an error; it stays longer. */
export function complain(error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return;
  show('error', inWords(error), 12000);
}

function show(kind: Toast['kind'], text: string, time: number): void {
  const toast = { id: ++last, kind, text };
  // There is one toast at a time. An error takes precedence over a success.
  if (kind === 'good' && toasts.value.some((other) => other.kind === 'error')) return;
  toasts.value = [toast];
  setTimeout(() => dismiss(toast.id), time);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Toasts renders and announces the toasts. The application has one instance. */
export function Toasts() {
  const box = useRef<HTMLDivElement>(null);
  const shown = toasts.value;
  // Shown again, the box is above a dialog that was opened after it. It stays open while it is
  // empty: screen readers announce only what changes in an element that is there.
  useLayoutEffect(() => {
    if (box.current!.matches(':popover-open')) box.current!.hidePopover();
    box.current!.showPopover();
    settle(box.current!);
  }, [shown]);
  // The page below a toast changes: it scrolls, grows, and shows other fields.
  useLayoutEffect(() => {
    if (shown.length === 0) return;
    const timer = setInterval(() => settle(box.current!), settleEvery);
    return () => clearInterval(timer);
  }, [shown]);
  return (
    <div class="toasts" role="status" aria-live="polite" popover="manual" ref={box}>
      {shown.map(({ id, kind, text }) => (
        <div key={id} class={`toast toast--${kind}`}>
          <Icon name={kind === 'good' ? 'check' : 'alert'} />
          <span>{text}</span>
          <IconButton icon="close" label={t.shell.close} small onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}

// settle puts the toasts where they cover nothing that people fill in or press, and leaves them
// where they are if they cover nothing there.
function settle(box: HTMLElement): void {
  if (!box.firstElementChild) return;
  const { offsetWidth: width, offsetHeight: height } = box;
  const others = [...document.querySelectorAll('input, textarea, select, button, a[href], [role=tab], .composer')]
    .filter((element) => !box.contains(element) && element.checkVisibility())
    .map((element) => element.getBoundingClientRect());
  const now = box.getBoundingClientRect();
  const isInside = now.right <= innerWidth && now.bottom <= innerHeight;
  if (box.style.left && isInside && coveredAt(now, { width, height }, others) === 0) return;
  const { left, top } = freePlace({ width, height }, { width: innerWidth, height: innerHeight }, others);
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}
