// The earlier events of a chat, page by page. Pages are cut between turns, so the log
// always starts with a complete turn.

import { signal } from '@preact/signals';

import type { ChatEvent } from './events';
import type { Wire } from './wire';

const pageLength = 300;
const longestPage = 500;

export class History {
  readonly hasOlder = signal(false);

  /** first is the seq of the oldest loaded event. */
  private first = 0;
  /** early are events of a turn whose start is not loaded yet. */
  private early: ChatEvent[] = [];

  constructor(
    private readonly wire: Wire,
    private readonly signal: AbortSignal,
  ) {}

  newest(): Promise<ChatEvent[]> {
    this.early = [];
    return this.load(undefined);
  }

  /** older loads the turns before the oldest loaded one. */
  older(): Promise<ChatEvent[]> {
    return this.load(this.first);
  }

  private async load(before: number | undefined): Promise<ChatEvent[]> {
    let items = this.early;
    let limit = pageLength;
    for (let at = before; ; ) {
      const page = await this.wire.page({ before: at, limit }, this.signal);
      items = [...page.items, ...items];
      at = items[0]?.seq;
      limit = longestPage;
      const begin = items.findIndex(({ type }) => type === 'user.message');
      if (page.nextCursor !== null && begin < 0) continue;
      this.hasOlder.value = page.nextCursor !== null;
      this.first = at ?? 0;
      this.early = page.nextCursor === null ? [] : items.slice(0, begin);
      return items.slice(this.early.length);
    }
  }
}
