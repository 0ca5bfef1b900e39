export class EventEmitter {
  #listeners = new Map();
  #add(name, listener, first) {
    const list = [...(this.#listeners.get(name) ?? [])];
    if (first) list.unshift(listener);
    else list.push(listener);
    this.#listeners.set(name, list);
    return this;
  }
  on(name, listener) {
    return this.#add(name, listener, false);
  }
  addListener(name, listener) {
    return this.on(name, listener);
  }
  prependListener(name, listener) {
    return this.#add(name, listener, true);
  }
  once(name, listener) {
    const only = (...given) => {
      this.off(name, only);
      listener.apply(this, given);
    };
    only.listener = listener;
    return this.on(name, only);
  }
  off(name, listener) {
    const list = this.#listeners.get(name) ?? [];
    const at = list.findLastIndex((each) => each === listener || each.listener === listener);
    if (at >= 0) this.#listeners.set(name, list.toSpliced(at, 1));
    return this;
  }
  removeListener(name, listener) {
    return this.off(name, listener);
  }
  removeAllListeners(name) {
    if (name === undefined) this.#listeners.clear();
    else this.#listeners.delete(name);
    return this;
  }
  emit(name, ...given) {
    const list = this.#listeners.get(name) ?? [];
    if (list.length === 0 && name === 'error') throw given[0] instanceof Error ? given[0] : new Error(`Unhandled error: ${given[0]}`);
    for (const listener of list) listener.apply(this, given);
    return list.length > 0;
  }
  listeners(name) {
    return (this.#listeners.get(name) ?? []).map((each) => each.listener ?? each);
  }
  listenerCount(name) {
    return this.listeners(name).length;
  }
  eventNames() {
    return [...this.#listeners].filter(([, list]) => list.length > 0).map(([name]) => name);
  }
  setMaxListeners() {
    return this;
  }
}
export const once = (emitter, name) =>
  new Promise((resolve, reject) => {
    const failed = (error) => {
      emitter.off(name, came);
      reject(error);
    };
    const came = (...given) => {
      emitter.off('error', failed);
      resolve(given);
    };
    emitter.once(name, came);
    if (name !== 'error') emitter.once('error', failed);
  });
EventEmitter.EventEmitter = EventEmitter;
EventEmitter.once = once;
export default EventEmitter;
