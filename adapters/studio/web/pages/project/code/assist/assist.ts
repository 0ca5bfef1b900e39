// What TypeScript's language server tells about the files of a project.

import type { Text } from '@codemirror/state';
import type { Signal } from '@preact/signals';

import type { ApiError, api } from '~/api/client';
import type { Problem } from '../problem';
import { speaks } from './places';
import { changesOf, type Edit, type Span } from './spans';

/** Completion is something that may be written. */
export interface Completion {
  label: string;
  kind: string;
  source?: string;
  insert?: string;
  replace?: Span;
  deprecated?: boolean;
}

export interface Completions {
  column: number;
  items: Completion[];
  truncated?: boolean;
}

/** Described is a name with its type and its documentation. */
export interface Described {
  signature?: string;
  documentation?: string;
}

export interface Details extends Described {
  edits: Edit[];
}

export interface Hover extends Described {
  range?: Span;
}

/** Location is in a file of the project, or else in a package. */
export interface Location extends Span {
  path?: string;
  package?: string;
}

interface Finding extends Span {
  severity: 'error' | 'warning';
  message: string;
}

/** Asked is a place in a file with the text that the editor has. */
export interface Asked {
  path: string;
  line: number;
  column: number;
  text: string;
}

/** The file that is checked while somebody types. */
interface Checked {
  readonly path: { readonly value: string; peek: () => string };
  readonly state: { readonly doc: Text };
  text: () => string;
}

// The debounce of checks, in milliseconds, and how long saving waits for the formatter.
const pause = 400;
const patience = 4000;

// Longer texts are not sent with every key.
const longest = 500_000;

/** Assist asks the service. Without a language server there, it stays silent. */
export class Assist {
  private asking: Promise<boolean> | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: AbortController | null = null;

  constructor(
    private readonly projectId: string,
    private readonly service: typeof api,
    /** available is null until the service has said whether it has a language server. */
    readonly available: Signal<boolean | null>,
    /** live has the problems of the file that is being edited. */
    readonly live: Signal<{ path: string; problems: Problem[] } | null>,
  ) {}

  /** ready resolves to whether the service has a language server. */
  ready(): Promise<boolean> {
    this.asking ??= this.service
      .get<{ available: boolean }>(`/projects/${this.projectId}/code`)
      .then(({ available }) => available)
      .catch(() => {
        // The service may be reachable the next time.
        this.asking = null;
        return false;
      })
      .then((available) => {
        this.available.value = available;
        return available;
      });
    return this.asking;
  }

  /** knows reports whether questions about a file are answered. */
  knows(path: string): boolean {
    return this.available.peek() === true && speaks(path);
  }

  private post<T>(question: string, body: object, signal?: AbortSignal): Promise<T> {
    return this.service.post<T>(`/projects/${this.projectId}/code/${question}`, body, { signal });
  }

  complete(at: Asked, signal: AbortSignal): Promise<Completions> {
    return this.post('completions', at, signal);
  }

  describe(at: Asked, { label, source }: Completion): Promise<Details> {
    return this.post('details', { ...at, label, source });
  }

  hover(at: Asked): Promise<Hover> {
    return this.post('hover', at);
  }

  define(at: Asked): Promise<Location[]> {
    return this.post<{ locations: Location[] }>('definition', at).then(({ locations }) => locations);
  }

  /** checkSoon looks for problems in a file after a pause in typing; null for no file. */
  checkSoon(file: Checked | null, wait = pause): void {
    clearTimeout(this.timer);
    this.running?.abort();
    if (!file || !speaks(file.path.peek())) {
      this.live.value = null;
      return;
    }
    if (this.live.peek()?.path !== file.path.peek()) this.live.value = null;
    this.timer = setTimeout(() => void this.check(file), wait);
  }

  private async check(file: Checked): Promise<void> {
    const path = file.path.peek();
    const { doc } = file.state;
    if (!(await this.ready()) || doc.length > longest) return;
    const running = new AbortController();
    this.running = running;
    try {
      const { diagnostics } = await this.post<{ diagnostics: Finding[] }>(
        'diagnostics',
        { path, text: file.text() },
        running.signal,
      );
      if (running.signal.aborted || path !== file.path.peek() || doc !== file.state.doc) return;
      this.live.value = { path, problems: diagnostics.map((each) => ({ ...each, path, from: 'live' })) };
    } catch (error) {
      // A server that starts, or many people who ask, need a moment.
      const { code, retryAfter = 0 } = error as Partial<ApiError>;
      const wait = code === 'rate_limited' ? retryAfter * 1000 : 0;
      if (wait > 0 && !running.signal.aborted) this.timer = setTimeout(() => void this.check(file), wait);
    }
  }

  /** format returns the changes that format a text, none if that is not possible in time. */
  async format(path: string, doc: Text, text: string) {
    if (!this.knows(path) || doc.length > longest) return [];
    try {
      const { edits } = await this.post<{ edits: Edit[] }>('format', { path, text }, AbortSignal.timeout(patience));
      return changesOf(doc, edits);
    } catch {
      return [];
    }
  }

  /** stop ends all checks. */
  stop(): void {
    clearTimeout(this.timer);
    this.running?.abort();
  }
}
