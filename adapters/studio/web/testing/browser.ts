// A fake of the browser APIs that modules use outside the DOM: storage and window events.

/** MemoryStorage is a storage with limited room. */
export class MemoryStorage implements Storage {
  [name: string]: unknown;
  readonly #values = new Map<string, string>();
  /** room is its capacity in characters; 0 disables it, as some browsers do. */
  room = Number.POSITIVE_INFINITY;

  get length(): number {
    if (this.room === 0) throw new Error('access is denied');
    return this.#values.size;
  }
  key(index: number): string | null {
    return [...this.#values.keys()][index] ?? null;
  }
  getItem(name: string): string | null {
    if (this.room === 0) throw new Error('access is denied');
    return this.#values.get(name) ?? null;
  }
  setItem(name: string, value: string): void {
    if (name.length + value.length > this.room) throw new Error('the quota has been exceeded');
    this.#values.set(name, value);
  }
  removeItem(name: string): void {
    if (this.room === 0) throw new Error('access is denied');
    this.#values.delete(name);
  }
  clear(): void {
    this.#values.clear();
  }
}

class StoredEvent extends Event {
  readonly key: string | null;

  constructor(type: string, { key = null }: StorageEventInit = {}) {
    super(type);
    this.key = key;
  }
}

/** Browser is the fake that a test has installed in the globals. */
export interface Browser {
  local: MemoryStorage;
  session: MemoryStorage;
  /** another opens another tab of the same browser. */
  another: () => void;
}

/** browser installs a new fake browser for the modules under test. */
export function browser(): Browser {
  const events = new EventTarget();
  const made: Browser = {
    local: new MemoryStorage(),
    session: new MemoryStorage(),
    another: () => {
      made.session = new MemoryStorage();
      Object.assign(globalThis, { sessionStorage: made.session });
    },
  };
  Object.assign(globalThis, {
    localStorage: made.local,
    sessionStorage: made.session,
    StorageEvent: StoredEvent,
    addEventListener: events.addEventListener.bind(events),
    removeEventListener: events.removeEventListener.bind(events),
    dispatchEvent: events.dispatchEvent.bind(events),
  });
  Object.defineProperty(globalThis, 'navigator', { value: { locks: locks() }, configurable: true });
  return made;
}

// locks grants locks one at a time, like those of a browser.
function locks(): Pick<LockManager, 'request'> {
  let turn: Promise<unknown> = Promise.resolve();
  const request = (_name: string, act: () => unknown) => (turn = turn.then(act));
  return { request: request as LockManager['request'] };
}
