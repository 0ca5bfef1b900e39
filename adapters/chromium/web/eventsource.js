// Streams of events. The browser cannot pass on an answer in pieces, so the adapter reads the
// stream and hands over event by event. It judges each address itself: nothing that a page
// changes here reaches further than its own requests do.
(() => {
	const ask = globalThis.__atelierAskStream;
	delete globalThis.__atelierAskStream;
	const open = new Map();
	let last = 0;

	class EventSource extends EventTarget {
		static CONNECTING = 0;
		static OPEN = 1;
		static CLOSED = 2;
		CONNECTING = 0;
		OPEN = 1;
		CLOSED = 2;
		readyState = 0;
		onopen = null;
		onmessage = null;
		onerror = null;
		#id = 0;
		#again = 0;
		#lastEventId = "";

		constructor(url, init) {
			super();
			this.url = new URL(url, document.baseURI).href;
			this.withCredentials = Boolean(init?.withCredentials);
			for (const type of ["open", "message", "error"]) this.addEventListener(type, (event) => this["on" + type]?.call(this, event));
			this.#connect();
		}

		#connect() {
			this.#id = ++last;
			open.set(this.#id, (step) => this.#take(step));
			ask(JSON.stringify({ open: this.#id, url: this.url, lastEventId: this.#lastEventId }));
		}

		#take(step) {
			if (step.open) {
				this.readyState = 1;
				this.dispatchEvent(new Event("open"));
				return;
			}
			if (step.ended) {
				open.delete(this.#id);
				this.readyState = step.again ? 0 : 2;
				if (step.again) this.#again = setTimeout(() => this.#connect(), step.again);
				this.dispatchEvent(new Event("error"));
				return;
			}
			this.#lastEventId = step.id;
			this.dispatchEvent(new MessageEvent(step.type, { data: step.data, lastEventId: step.id, origin: location.origin }));
		}

		close() {
			clearTimeout(this.#again);
			this.readyState = 2;
			if (open.delete(this.#id)) ask(JSON.stringify({ close: this.#id }));
		}
	}

	Object.defineProperty(globalThis, "EventSource", { value: EventSource, configurable: true, writable: true });
	Object.defineProperty(globalThis, "__atelierTakeStream", { value: (id, step) => open.get(id)?.(step) });
})();
