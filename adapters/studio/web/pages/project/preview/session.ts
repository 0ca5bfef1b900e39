import { computed, signal } from '@preact/signals';

import { type ApiError, api } from '~/api/client';
import type { Preview } from '~/api/types';
import type { ProjectStore } from '../store';

const pause = 1000;

/** Session is the project's preview: where it is, how it stands, and its start. */
export class Session {
  readonly preview = signal<Preview | null>(null);
  readonly error = signal<ApiError | null>(null);
  readonly stopped = signal(false);
  /** address is where the preview is, once there is something to show. */
  readonly address = signal<string | null>(null);
  readonly starting = computed(() => !this.stopped.value && !this.error.value && !this.address.value);

  private timer: ReturnType<typeof setTimeout> | undefined;
  private call: AbortController | null = null;
  /** ending is the stop that is under way: a start before its end would find the old address. */
  private ending: Promise<void> | null = null;

  constructor(private readonly store: ProjectStore) {}

  /** start starts the preview, or finds out where it is now, and waits until it can be shown. */
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
    this.address.value = preview.url;
  }

  /** stop ends the preview for everybody. It starts again when somebody looks. */
  async stop(): Promise<void> {
    this.halt();
    this.stopped.value = true;
    this.address.value = null;
    this.store.listening.value = false;
    const ending = api.delete<void>(`/projects/${this.store.id}/preview`);
    this.ending = ending.catch(() => undefined);
    await ending;
  }

  /** resume starts a preview that was stopped. */
  async resume(): Promise<void> {
    this.store.listening.value = true;
    await this.start();
  }

  /** restart ends the preview and starts it again. */
  async restart(): Promise<void> {
    await this.stop();
    await this.resume();
  }

  /** halt ends what start waits for. */
  halt(): void {
    clearTimeout(this.timer);
    this.call?.abort();
    this.call = null;
  }
}

// passes reports whether an error is temporary, and so does not concern the shown preview.
function passes({ status }: ApiError): boolean {
  return status === 0 || status === 429 || status >= 500;
}
