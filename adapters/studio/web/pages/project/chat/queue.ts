// Messages that wait to be sent, stored per chat so that a reload keeps them. Their images
// are in memory only.

import { signal } from '@preact/signals';

import { browserStorage, isNumber, isText, oneOf, orNone, recordOf, tabStorage } from '~/storage';

export interface Picture {
  id: string;
  name: string;
  size: number;
  /** url is the image as a data URL. */
  url: string;
}

/** Choice is which model answers. */
export interface Choice {
  model?: string;
  provider?: 'own';
}

export interface Waiting {
  id: string;
  text: string;
  choice: Choice;
  written: number;
  /** images is how many images belong to it. */
  images: number;
  /** sending is when the tab began to send it. */
  sending?: number;
  tab?: string;
  /** error says why it was not sent; it then waits for a person. */
  error?: string;
}

export const isChoice = recordOf<Choice>({ model: orNone(isText), provider: orNone(oneOf('own')) });

const isWaiting = recordOf<Waiting>({
  id: isText,
  text: isText,
  choice: isChoice,
  written: isNumber,
  images: isNumber,
  sending: orNone(isNumber),
  tab: orNone(isText),
  error: orNone(isText),
});

/** sendingTime is how long, in milliseconds, another tab is left alone with a message. */
const sendingTime = 300_000;

// underway are the items that a conversation of this page is sending.
const underway = new Set<string>();

// cutOff are the items whose sending was cut off when a conversation of this page was closed.
const cutOff = new Set<string>();

export class Queue {
  readonly items;
  private readonly pictures = new Map<string, Picture[]>();
  private readonly memory: string;
  /** place is where they are kept: only in this page while the browser has no room for them. */
  private place: 'browser' | 'page' = 'browser';

  /** A queue belongs to one person: the next person who signs in here sends nothing of it. */
  constructor(chatId: string, userId: string) {
    this.memory = `atelier.queue.${chatId}.${userId}`;
    this.items = signal<Waiting[]>(this.read());
  }

  /** listen follows what other tabs, and other conversations of this page, do to the queue. */
  listen(): () => void {
    const take = (event: StorageEvent) => {
      if (event.key === this.memory) this.items.value = this.read();
    };
    addEventListener('storage', take);
    return () => removeEventListener('storage', take);
  }

  push(text: string, pictures: Picture[], choice: Choice): void {
    const item = { id: String(Math.random()), text, choice, written: Date.now(), images: pictures.length };
    this.pictures.set(item.id, pictures);
    this.write([...this.read(), item]);
  }

  picturesOf(item: Waiting): Picture[] {
    return this.pictures.get(item.id) ?? [];
  }

  /** isWhole reports whether the images of an item are still there. */
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

  /** next is the first item, unless it waits for a person. */
  next(): Waiting | undefined {
    const [head] = this.items.value;
    return head && !head.error && !isBeingSent(head) ? head : undefined;
  }

  /** claim reserves an item for this tab: no two tabs send it. */
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

  /** release ends a claim, whatever came of it. */
  release(id: string): void {
    underway.delete(id);
    if (this.read().some((item) => item.id === id && item.sending !== undefined)) cutOff.add(id);
  }

  /** isCutOff reports whether this page stopped sending an item without an answer. */
  isCutOff(item: Waiting): boolean {
    return item.sending !== undefined && cutOff.has(item.id);
  }

  /** isAbandoned reports whether the page that was sending an item is gone. */
  isAbandoned(item: Waiting): boolean {
    return item.sending !== undefined && !underway.has(item.id) && (item.tab === tab() || !isBeingSent(item));
  }

  private read(): Waiting[] {
    return this.place === 'page' ? this.items.peek() : browserStorage.list(this.memory, isWaiting);
  }

  private write(items: Waiting[]): void {
    this.items.value = items;
    this.place = items.length === 0 || browserStorage.write(this.memory, items) ? 'browser' : 'page';
    // The copies in storage are older.
    if (items.length === 0 || this.place === 'page') browserStorage.remove(this.memory);
    // The storage event reaches only other tabs.
    dispatchEvent(new StorageEvent('storage', { key: this.memory }));
  }
}

function isBeingSent(item: Waiting): boolean {
  return item.sending !== undefined && Date.now() - item.sending < sendingTime;
}

// unnamed is the name of a tab that can keep none.
const unnamed = String(Math.random());

// tab names this tab, through reloads.
function tab(): string {
  const kept = tabStorage.text('atelier.tab');
  if (kept !== null) return kept;
  const name = String(Math.random());
  return tabStorage.setText('atelier.tab', name) ? name : unnamed;
}
