// The list of versions, newest first, page by page.

import { signal } from '@preact/signals';

import { ApiError, api } from '~/api/client';
import type { ListedVersion, Page, Version, VersionPage } from '~/api/types';

/** VersionDetail is a version with its changes. */
export interface VersionDetail extends ListedVersion {
  patch: string;
  files: ChangedFile[];
  truncated: boolean;
}

/** ChangedFile counts changed lines; the counts are null for binary files. */
export interface ChangedFile {
  path: string;
  action: 'created' | 'modified' | 'deleted';
  additions: number | null;
  deletions: number | null;
}

const pageSize = 40;

/** History holds the loaded part of the list. */
export class History {
  readonly items = signal<ListedVersion[] | null>(null);
  /** marked are the versions with a name or a star, null unless somebody looks at these. */
  readonly marked = signal<ListedVersion[] | null>(null);
  /** unsaved is the number of files that differ from the newest version. */
  readonly unsaved = signal(0);
  readonly error = signal<unknown>(null);
  readonly more = signal(false);
  readonly loading = signal(false);
  private cursor: string | null = null;

  constructor(private readonly projectId: string) {}

  private page(cursor: string | null): Promise<VersionPage> {
    return api.get(`/projects/${this.projectId}/versions`, { query: { limit: pageSize, cursor } });
  }

  /** refresh loads new versions and keeps the older ones. */
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

  /** showMarked loads the versions with a name or a star. */
  async showMarked(): Promise<void> {
    try {
      const { items } = await api.get<Page<ListedVersion>>(`/projects/${this.projectId}/versions`, {
        query: { marked: true },
      });
      this.marked.value = items;
      this.error.value = null;
    } catch (error) {
      this.error.value = error;
    }
  }

  /** put replaces a version after its mark was changed. */
  put(version: ListedVersion): void {
    const replace = (list: ListedVersion[] | null) =>
      list?.map((item) => (item.id === version.id ? { ...item, ...version } : item)) ?? null;
    this.items.value = replace(this.items.peek());
    this.marked.value = replace(this.marked.peek());
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

/** promptOf finds the user's message that led to a version, if it is recent. */
export async function promptOf(projectId: string, version: Version): Promise<string | null> {
  if (!version.chatId) return null;
  interface Event {
    type: string;
    text?: string;
    approval?: unknown;
    versionId?: string;
  }
  try {
    const { items } = await api.get<Page<Event>>(`/chat/${projectId}/messages`, {
      query: { chatId: version.chatId, limit: 500 },
    });
    const made = items.findIndex((event) => event.type === 'version.created' && event.versionId === version.id);
    // An answer to a request is not what the person wished.
    const isWish = ({ type, approval }: Event) => type === 'user.message' && !approval;
    return items.slice(0, Math.max(0, made)).findLast(isWish)?.text ?? null;
  } catch (error) {
    // Only members can read chats.
    if (error instanceof ApiError) return null;
    throw error;
  }
}
