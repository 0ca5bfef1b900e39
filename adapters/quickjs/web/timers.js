  const timers = new Map();
  let lastTimer = 0;
  const MAX_TIMERS = 1000;

  const schedule = (run, delay, again) => {
    if (typeof run !== "function") throw new TypeError("a timer needs a function");
    if (timers.size >= MAX_TIMERS) throw new RangeError("a function has at most " + MAX_TIMERS + " timers");
    const id = ++lastTimer;
    delay = Math.min(Math.max(Number(delay) || 0, 0), 60000);
    timers.set(id, { run, delay: again ? Math.max(delay, 1) : delay, again });
    host("timer", id, timers.get(id).delay);
    return id;
  };
  const setTimeout = (run, delay, ...args) => schedule(typeof run === "function" ? () => run(...args) : run, delay, false);
  const setInterval = (run, delay, ...args) => schedule(typeof run === "function" ? () => run(...args) : run, delay, true);
  const clearTimeout = (id) => { if (timers.delete(id)) host("untimer", id); };

  const fire = (id) => {
    const timer = timers.get(id);
    if (!timer) return;
    if (timer.again) host("timer", id, timer.delay);
    else timers.delete(id);
    timer.run();
  };
  const queueMicrotask = (run) => {
    if (typeof run !== "function") throw new TypeError("queueMicrotask needs a function");
    Promise.resolve().then(run);
  };

  class Event {
    #type;
    constructor(type) { this.#type = String(type); }
    get type() { return this.#type; }
  }
  class EventTarget {
    #listeners = new Map();
    addEventListener(type, listener, options) {
      const all = this.#listeners.get(type) ?? [];
      all.push({ listener, once: Boolean(options?.once) });
      this.#listeners.set(type, all);
    }
    removeEventListener(type, listener) {
      this.#listeners.set(type, (this.#listeners.get(type) ?? []).filter((one) => one.listener !== listener));
    }
    dispatchEvent(event) {
      this["on" + event.type]?.call?.(this, event);
      for (const one of this.#listeners.get(event.type) ?? []) {
        if (one.once) this.removeEventListener(event.type, one.listener);
        typeof one.listener === "function" ? one.listener.call(this, event) : one.listener?.handleEvent?.(event);
      }
      return true;
    }
  }

  let abort;
  class AbortSignal extends EventTarget {
    #aborted = false; #reason;
    static {
      abort = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason === undefined ? new DOMException("The operation was aborted.", "AbortError") : reason;
        signal.dispatchEvent(new Event("abort"));
      };
    }
    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    static abort(reason) { const signal = new AbortSignal(); abort(signal, reason); return signal; }
    static timeout(delay) {
      const signal = new AbortSignal();
      setTimeout(() => abort(signal, new DOMException("The operation timed out.", "TimeoutError")), delay);
      return signal;
    }
    static any(signals) {
      const signal = new AbortSignal();
      for (const one of signals) {
        if (one.aborted) abort(signal, one.reason);
        else one.addEventListener("abort", () => abort(signal, one.reason));
      }
      return signal;
    }
  }
  class AbortController {
    #signal = new AbortSignal();
    get signal() { return this.#signal; }
    abort(reason) { abort(this.#signal, reason); }
  }

  const began = Date.now();
  define({
    setTimeout, setInterval, clearTimeout, clearInterval: clearTimeout, queueMicrotask,
    Event, EventTarget, AbortSignal, AbortController,
    performance: Object.freeze({ now: () => Date.now() - began, timeOrigin: began }),
  });
