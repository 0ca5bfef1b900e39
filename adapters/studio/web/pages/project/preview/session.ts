import { computed, signal } from '@preact/signals';

import { type ApiError, api } from '~/api/client';
import type { Preview } from '~/api/types';
import type { ProjectStore } from '../store';

const pause = 1000;

/** Session is the project's preview: its address, state and start. */
export class Session {
  readonly preview = signal<Preview | null>(null);
  readonly error = signal<ApiError | null>(null);
  readonly stopped = signal(false);
  /** address is the preview's address once it can be shown. */
  readonly address = signal<string | null>(null);
  readonly starting = computed(() => !this.stopped.value && !this.error.value && !this.address.value);

  private timer: ReturnType<typeof setTimeout> | undefined;
  private call: AbortController | null = null;
  /** ending is the stop in progress. A start must wait for it, or it would get the old address. */
  private ending: Promise<void> | null = null;

  constructor(private readonly store: ProjectStore) {}

  /** start starts the preview or looks up its address, and waits until it can be shown. */
  async start(): Promise<void> {
    this.halt();
    this.stopped.value = false;
    this.error.value = null;
    const call = new AbortController();
    this.call = call;
    try {
      await this.ending;
      if (call.signal.aborted) return;
      const preview = await api.post<Preview>(`/projects/${this.store.id}/preview`, undefined, { signal: call.signal });
      if (!call.signal.aborted) this.take(preview);
    } catch (error) {
      if (call.signal.aborted || (this.address.value && passes(error as ApiError))) return;
      this.error.value = error as ApiError;
      this.address.value = null;
    }
  }

  private take(preview: Preview): void {
    this.preview.value = preview;
    if (preview.status === 'starting' && this.address.value === null) {
      this.timer = setTimeout(() => void this.start(), pause);
      return;
    }
    this.store.diagnostics.value = preview.diagnostics;
    this.store.warnings.value = preview.warnings ?? [];
    this.address.value = preview.url;
  }

  /** stop stops the preview for all users. It starts again on the next visit. */
  async stop(): Promise<void> {
    this.halt();
    this.stopped.value = true;
    this.address.value = null;
    this.store.listening.value = false;
    const ending = api.delete<void>(`/projects/${this.store.id}/preview`);
    this.ending = ending.catch(() => undefined);
    await ending;
  }

  /** resume starts a stopped preview. */
  async resume(): Promise<void> {
    this.store.listening.value = true;
    await this.start();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.resume();
  }

  /** halt aborts a start. */
  halt(): void {
    clearTimeout(this.timer);
    this.call?.abort();
    this.call = null;
  }
}

// passes reports whether an error is temporary. The shown preview then stays.
function passes({ status }: ApiError): boolean {
  return status === 0 || status === 429 || status >= 500;
}
