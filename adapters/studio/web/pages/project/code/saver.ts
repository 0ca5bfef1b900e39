import type { Text } from '@codemirror/state';
import type { ReadonlySignal } from '@preact/signals';

import { ApiError, api, filePath } from '~/api/client';
import type { FileEntry } from '~/api/types';
import type { Account } from './host';
import type { Saving } from './state';

// The debounce of saving and of storing a draft, in milliseconds.
const pause = 600;
const keepPause = 200;

// How long to wait for the room to save before asking the service, in milliseconds.
const lookPause = 3000;
const longestWait = 30_000;

// Longer texts are not stored as drafts while typing, because storing takes time.
const longestKept = 100_000;

// Browsers limit keepalive bodies to 64 KiB. A UTF-16 unit takes up to three bytes.
const longestLast = 20_000;

/** Saved is the file as its saver sees it. */
interface Saved {
  readonly path: ReadonlySignal<string>;
  readonly saving: ReadonlySignal<Saving>;
  readonly state: { readonly doc: Text };
  /** shared is set if the room saves the file. */
  readonly shared: object | null;
  readonly etag: string | null;
  readonly dirty: boolean;
  text: () => string;
  keep: () => void;
  saved: (sent: Text, entry: FileEntry) => void;
  /** on handles the result of a save. */
  on: (event: { type: 'sending' | 'overtaken' | 'unreached' } | { type: 'refused'; problem: unknown }) => void;
  refresh: () => Promise<void>;
}

/**
 * Saver saves a file: shortly after the last key press, repeatedly while the service is
 * unreachable, and never over another user's text.
 */
export class Saver {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private keeping: ReturnType<typeof setTimeout> | undefined;
  private looking: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  // turn serialises the calls about one file.
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: Saved,
    private readonly host: Account,
  ) {}

  /** soon saves after a pause in typing. */
  soon(): void {
    this.after(pause);
  }

  private after(time: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.now(), time);
  }

  /** keepSoon stores a draft after a pause. A long text is stored only when the page closes. */
  keepSoon(): void {
    clearTimeout(this.keeping);
    if (this.file.state.doc.length > longestKept) return;
    this.keeping = setTimeout(() => this.file.keep(), keepPause);
  }

  stop(): void {
    clearTimeout(this.timer);
    clearTimeout(this.keeping);
    clearTimeout(this.looking);
  }

  /**
   * now saves unsaved text and resolves when the service has answered. isLast is true if
   * the page is about to close.
   */
  now(isLast = false): Promise<void> {
    clearTimeout(this.timer);
    return this.next(() => this.save(isLast));
  }

  /** lookSoon asks the service whether the room has saved, in case no event says so. */
  lookSoon(): void {
    clearTimeout(this.looking);
    this.looking = setTimeout(() => {
      if (this.file.shared && this.file.dirty) void this.look();
    }, lookPause);
  }

  /** look applies changes that others have saved. */
  look(): Promise<void> {
    return this.next(() => this.file.refresh().catch(() => {}));
  }

  /** rest resolves when no call is active. */
  async rest(): Promise<void> {
    for (let turn: Promise<void> | null = null; turn !== this.turn; ) {
      turn = this.turn;
      await turn;
    }
  }

  private next(act: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(act);
    return this.turn;
  }

  private async save(isLast: boolean): Promise<void> {
    const { file } = this;
    if (!this.host.canEdit || file.shared || !file.dirty || file.saving.value === 'conflict') return;
    clearTimeout(this.timer);
    const sent = file.state.doc;
    file.on({ type: 'sending' });
    try {
      const condition: Record<string, string> =
        file.etag === null ? { 'If-None-Match': '*' } : { 'If-Match': file.etag };
      const headers = { 'Content-Type': 'text/plain; charset=utf-8', ...condition };
      const entry = await api.put<FileEntry>(filePath(this.host.projectId, file.path.value), file.text(), {
        headers,
        keepalive: isLast && sent.length < longestLast,
      });
      this.failures = 0;
      file.saved(sent, entry);
    } catch (error) {
      await this.failed(error);
    }
  }

  private async failed(error: unknown): Promise<void> {
    const { file } = this;
    file.keep();
    if (error instanceof ApiError && error.status === 412) {
      file.on({ type: 'overtaken' });
      this.after(2 * pause);
      await file.refresh().catch((failure: unknown) => this.failed(failure));
      return;
    }
    if (error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500)) {
      file.on({ type: 'unreached' });
      this.after(Math.max(error.retryAfter * 1000, Math.min(longestWait, 1000 * 2 ** this.failures++)));
    } else {
      file.on({ type: 'refused', problem: error });
    }
  }
}
