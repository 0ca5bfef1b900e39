import { signal } from '@preact/signals';

import { t } from '~/text';
import { IconButton } from './button';
import { inWords } from './failure';
import { Icon } from './icon';

interface Toast {
  id: number;
  kind: 'good' | 'error';
  text: string;
}

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
  // The top bar has room for one toast. An error takes precedence over a success.
  if (kind === 'good' && toasts.value.some((other) => other.kind === 'error')) return;
  toasts.value = [toast];
  setTimeout(() => dismiss(toast.id), time);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Toasts renders and announces the toasts. The application has one instance. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, kind, text }) => (
        <div key={id} class={`toast toast--${kind}`}>
          <Icon name={kind === 'good' ? 'check' : 'alert'} />
          <span>{text}</span>
          <IconButton icon="close" label={t.shell.close} small onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
