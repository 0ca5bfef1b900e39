// Messages waiting to be sent, stored per chat so that they survive a reload. Their images
// stay in memory only.

import { signal } from '@preact/signals';

import { browserStorage, isNumber, isText, oneOf, orNone, recordOf, tabStorage } from '~/storage';
import type { Reference } from './events';

export interface Picture {
  id: string;
  name: string;
  size: number;
  /** url is a data URL. */
  url: string;
}

/** thoughts are the amounts of thinking that one can ask for. */
export const thoughts = ['off', 'low', 'medium', 'high'] as const;

/** Choice selects the model, and how much it thinks; without thinking, as it does by itself. */
export interface Choice {
  model?: string;
  provider?: 'own';
  thinking?: (typeof thoughts)[number];
}

export interface Waiting {
  id: string;
  text: string;
  choice: Choice;
  written: number;
  /** references are the files and elements that it is about. */
  references?: Reference[];
  /** images is the number of attached images. */
  images: number;
  /** sending is the time at which the tab started to send it. */
  sending?: number;
  tab?: string;
  /** error is the reason why it was not sent. The message then waits for the user. */
  error?: string;
}

export const isChoice = recordOf<Choice>({
  model: orNone(isText),
  provider: orNone(oneOf('own')),
  thinking: orNone(oneOf(...thoughts)),
});

export const isReference = recordOf<Reference>({
  type: oneOf('file', 'element'),
  path: isText,
  tag: orNone(isText),
  line: orNone(isNumber),
  column: orNone(isNumber),
});

const isWaiting = recordOf<Waiting>({
  id: isText,
  text: isText,
  choice: isChoice,
  references: orNone((value): value is Reference[] => Array.isArray(value) && value.every(isReference)),
  written: isNumber,
  images: isNumber,
  sending: orNone(isNumber),
  tab: orNone(isText),
  error: orNone(isText),
});

/** sendingTime is how long, in milliseconds, another tab's claim on a message is respected. */
const sendingTime = 300_000;

// underway are the items that conversations of this page are sending.
const underway = new Set<string>();

// cutOff are the items whose sending was interrupted by closing a conversation of this page.
const cutOff = new Set<string>();

export class Queue {
  readonly items;
  private readonly pictures = new Map<string, Picture[]>();
  private readonly memory: string;
  /** place is where items are stored: in the page only while the browser's storage is full. */
  private place: 'browser' | 'page' = 'browser';

  /** Each user has a separate queue: the next user of this browser does not send its messages. */
  constructor(chatId: string, userId: string) {
    this.memory = `atelier.queue.${chatId}.${userId}`;
    this.items = signal<Waiting[]>(this.read());
  }

  /** listen follows changes by other tabs and by other conversations of this page. */
  listen(): () => void {
    const take = (event: StorageEvent) => {
      if (event.key === this.memory) this.items.value = this.read();
    };
    addEventListener('storage', take);
    return () => removeEventListener('storage', take);
  }

  push(text: string, pictures: Picture[], choice: Choice, references: Reference[] = []): void {
    const item: Waiting = { id: String(Math.random()), text, choice, written: Date.now(), images: pictures.length };
    if (references.length > 0) item.references = references;
    this.pictures.set(item.id, pictures);
    this.write([...this.read(), item]);
  }

  picturesOf(item: Waiting): Picture[] {
    return this.pictures.get(item.id) ?? [];
  }

  /** isWhole reports whether the images of an item are still available. */
  isWhole(item: Waiting): boolean {
    return this.picturesOf(item).length === item.images;
  }

  remove(id: string): void {
    this.pictures.delete(id);
    this.write(this.read().filter((item) => item.id !== id));
  }

  change(id: string, change: Partial<Waiting>): void {
    this.write(this.read().map((item) => (item.id === id ? { ...item, ...change } : item)));
  }

  /** next returns the first item, unless it waits for the user. */
  next(): Waiting | undefined {
    const [head] = this.items.value;
    return head && !head.error && !isBeingSent(head) ? head : undefined;
  }

  /** claim reserves an item for this tab, so that no other tab sends it. */
  claim(id: string): Promise<boolean> {
    const take = () => {
      const item = this.read().find((other) => other.id === id);
      if (!item || item.error || isBeingSent(item)) return false;
      underway.add(id);
      cutOff.delete(id);
      this.change(id, { sending: Date.now(), tab: tab() });
      return true;
    };
    return navigator.locks ? navigator.locks.request(this.memory, take) : Promise.resolve(take());
  }

  /** release ends a claim. */
  release(id: string): void {
    underway.delete(id);
    if (this.read().some((item) => item.id === id && item.sending !== undefined)) cutOff.add(id);
  }

  /** isCutOff reports whether this page was interrupted while sending an item. */
  isCutOff(item: Waiting): boolean {
    return item.sending !== undefined && cutOff.has(item.id);
  }

  /** isAbandoned reports whether the page that was sending an item no longer exists. */
  isAbandoned(item: Waiting): boolean {
    return item.sending !== undefined && !underway.has(item.id) && (item.tab === tab() || !isBeingSent(item));
  }

  private read(): Waiting[] {
    return this.place === 'page' ? this.items.peek() : browserStorage.list(this.memory, isWaiting);
  }

  private write(items: Waiting[]): void {
    this.items.value = items;
    this.place = items.length === 0 || browserStorage.write(this.memory, items) ? 'browser' : 'page';
    // The items in storage are out of date.
    if (items.length === 0 || this.place === 'page') browserStorage.remove(this.memory);
    // The storage event reaches only other tabs.
    dispatchEvent(new StorageEvent('storage', { key: this.memory }));
  }
}

function isBeingSent(item: Waiting): boolean {
  return item.sending !== undefined && Date.now() - item.sending < sendingTime;
}

// unnamed is this tab's id if it cannot be stored.
const unnamed = String(Math.random());

// tab returns this tab's id, which survives reloads.
function tab(): string {
  const kept = tabStorage.text('atelier.tab');
  if (kept !== null) return kept;
  const name = String(Math.random());
  return tabStorage.setText('atelier.tab', name) ? name : unnamed;
}
