// The list of versions, newest first, page by page.

import { signal } from '@preact/signals';

import { ApiError, api } from '~/api/client';
import type { Page, Version, VersionPage } from '~/api/types';

/** VersionDetail is a version with what it changed. */
export interface VersionDetail extends Version {
  patch: string;
  files: ChangedFile[];
  truncated: boolean;
}

/** ChangedFile counts lines; they are null for a file that is not text. */
export interface ChangedFile {
  path: string;
  action: 'created' | 'modified' | 'deleted';
  additions: number | null;
  deletions: number | null;
}

const pageSize = 40;

/** History holds what has been loaded of the list. */
export class History {
  readonly items = signal<Version[] | null>(null);
  /** unsaved is how many files differ from the newest version. */
  readonly unsaved = signal(0);
  readonly error = signal<unknown>(null);
  readonly more = signal(false);
  readonly loading = signal(false);
  private cursor: string | null = null;

  constructor(private readonly projectId: string) {}

  private page(cursor: string | null): Promise<VersionPage> {
    return api.get(`/projects/${this.projectId}/versions`, { query: { limit: pageSize, cursor } });
  }

  /** refresh loads what is new, and keeps what had been loaded below it. */
  async refresh(): Promise<void> {
    try {
      const { items, nextCursor, unsaved } = await this.page(null);
      this.unsaved.value = unsaved?.filesChanged ?? 0;
      const known = this.items.peek() ?? [];
      const joint = known.findIndex(({ id }) => id === items.at(-1)?.id);
      if (joint < 0) {
        this.cursor = nextCursor;
        this.items.value = items;
      } else {
        this.items.value = [...items, ...known.slice(joint + 1)];
      }
      this.more.value = this.cursor !== null;
      this.error.value = null;
    } catch (error) {
      this.error.value = error;
    }
  }

  /** older loads the next page. */
  async older(): Promise<void> {
    if (this.loading.peek() || !this.cursor) return;
    this.loading.value = true;
    try {
      const { items, nextCursor } = await this.page(this.cursor);
      this.cursor = nextCursor;
      this.items.value = [...(this.items.peek() ?? []), ...items];
      this.more.value = nextCursor !== null;
    } catch (error) {
      this.error.value = error;
    } finally {
      this.loading.value = false;
    }
  }
}

/** promptOf finds the message to the agent, if it is recent. */
export async function promptOf(projectId: string, version: Version): Promise<string | null> {
  if (!version.chatId) return null;
  interface Event {
    type: string;
    text?: string;
    versionId?: string;
  }
  try {
    const { items } = await api.get<Page<Event>>(`/chat/${projectId}/messages`, {
      query: { chatId: version.chatId, limit: 500 },
    });
    const made = items.findIndex((event) => event.type === 'version.created' && event.versionId === version.id);
    return items.slice(0, Math.max(0, made)).findLast(({ type }) => type === 'user.message')?.text ?? null;
  } catch (error) {
    // Readers who are not members do not see chats.
    if (error instanceof ApiError) return null;
    throw error;
  }
}
