// Tracks the asynchronous work of this page: timers, animation frames, messages and so on. A page
// without any cannot change by itself, so that nobody has to wait for it. A page that tampers with
// this affects only the checks of its own project.
(() => {
	const { Proxy, Reflect, performance, setTimeout, requestAnimationFrame } = globalThis;
	const { apply, construct } = Reflect;
	const now = performance.now.bind(performance);
	// due has the times of timeouts, every the periods of intervals, frames and idles the animation
	// frames and idle callbacks that are requested; all by their ids.
	const due = Object.create(null), every = Object.create(null), frames = Object.create(null), idles = Object.create(null);
	// begun is when work in other threads or processes began, whose end cannot be observed, and
	// unseen how long that may take.
	let begun = -Infinity;
	const unseen = 5000;
	// endless means that something may change the page at any time, such as a worker.
	let endless = false;

	// around wraps a function, and calls after with its result and its arguments.
	const around = (on, name, after) => {
		const called = on?.[name];
		if (typeof called !== "function") return;
		try {
			on[name] = new Proxy(called, { apply(target, self, given) {
				const result = apply(target, self, given);
				after(result, given);
				return result;
			} });
		} catch {}
	};
	const forget = (list) => (_, given) => { if (typeof given[0] === "number") delete list[given[0]] };

	// A second timer with the same delay fires right after the first.
	around(globalThis, "setTimeout", (id, given) => {
		due[id] = now() + (Number(given[1]) || 0);
		apply(setTimeout, globalThis, [() => { delete due[id] }, given[1]]);
	});
	around(globalThis, "setInterval", (id, given) => { every[id] = Number(given[1]) || 0 });
	for (const name of ["clearTimeout", "clearInterval"]) {
		around(globalThis, name, forget(due));
		around(globalThis, name, forget(every));
	}
	around(globalThis, "cancelAnimationFrame", forget(frames));
	around(globalThis, "cancelIdleCallback", forget(idles));
	around(globalThis, "requestAnimationFrame", (id) => {
		frames[id] = true;
		apply(requestAnimationFrame, globalThis, [() => { delete frames[id] }]);
	});
	const { requestIdleCallback } = globalThis;
	around(globalThis, "requestIdleCallback", (id) => {
		idles[id] = true;
		apply(requestIdleCallback, globalThis, [() => { delete idles[id] }]);
		// Headless Chromium runs the next idle callback only after a frame.
		apply(requestAnimationFrame, globalThis, [() => {}]);
	});

	// soon counts what arrives within a frame: messages, and entries of observers.
	let soon = 0;
	const settle = () => {
		const before = soon;
		apply(requestAnimationFrame, globalThis, [() => apply(setTimeout, globalThis, [() => {
			if (soon === before) soon = 0;
			else settle();
		}])]);
	};
	const comesSoon = () => { if (++soon === 1) settle() };
	around(globalThis, "postMessage", comesSoon);
	for (const kind of ["MessagePort", "IntersectionObserver", "ResizeObserver", "PerformanceObserver"]) {
		const methods = globalThis[kind]?.prototype;
		around(methods, "postMessage", comesSoon);
		around(methods, "observe", comesSoon);
	}

	// Work in other threads or processes: only its begin is observed.
	const note = () => { begun = now() };
	const all = (kind) => {
		const methods = typeof kind === "string" ? globalThis[kind]?.prototype : kind;
		for (const [name, its] of Object.entries(Object.getOwnPropertyDescriptors(methods ?? {}))) {
			if (name !== "constructor" && typeof its.value === "function") around(methods, name, note);
		}
	};
	for (const kind of [
		"IDBFactory", "IDBDatabase", "IDBObjectStore", "IDBIndex", "IDBCursor", "IDBTransaction", "Cache", "CacheStorage", "CookieStore", "StorageManager",
		"LockManager", "SubtleCrypto", "Blob", "FileReader", "FileSystemHandle", "FileSystemFileHandle", "FileSystemDirectoryHandle", "FileSystemWritableFileStream",
		"Navigator", "Permissions", "Clipboard", "Geolocation", "MediaDevices", "HTMLMediaElement", "ImageDecoder", "OffscreenCanvas", "Scheduler", "FontFace", "FontFaceSet",
	]) all(kind);
	all(globalThis.WebAssembly);
	for (const [kind, name] of [["HTMLCanvasElement", "toBlob"], ["HTMLImageElement", "decode"], ["Document", "startViewTransition"], ["History", "back"], ["History", "forward"], ["History", "go"]]) {
		around(globalThis[kind]?.prototype, name, note);
	}
	for (const name of ["createImageBitmap", "scroll", "scrollTo", "scrollBy"]) around(globalThis, name, note);
	for (const name of ["scroll", "scrollTo", "scrollBy", "scrollIntoView"]) around(Element.prototype, name, note);
	for (const kind of [
		"Worker", "SharedWorker", "WebSocket", "WebSocketStream", "WebTransport", "RTCPeerConnection", "BroadcastChannel", "AudioContext", "OfflineAudioContext",
		"Notification", "CompressionStream", "DecompressionStream", "VideoDecoder", "VideoEncoder", "AudioDecoder", "AudioEncoder",
	]) {
		const made = globalThis[kind];
		if (typeof made !== "function") continue;
		globalThis[kind] = new Proxy(made, { construct(target, given, as) {
			endless = true;
			return construct(target, given, as);
		} });
	}

	const some = (list, holds) => {
		for (const id in list) if (holds(list[id])) return true;
		return false;
	};
	Object.defineProperty(globalThis, "__atelierUnderWay", { value: (within) => {
		const until = now() + within;
		return endless || soon > 0 || now() - begun < unseen || some(frames, Boolean) || some(idles, Boolean)
			|| some(due, (at) => at <= until) || some(every, (period) => period <= within);
	} });
})();
