// Storage for a page that the studio frames, where the browser refuses it to frames of other sites: in
// private windows, and where people block it. What is stored stays in the name of the frame, which
// outlives reloads, and the studio hands it to the next address of the preview.
(() => {
  if (window.parent === window || works()) return;
  const mark = 'atelier-storage:';
  const mostChars = 5_000_000;
  const kept = read();
  for (const name of ['localStorage', 'sessionStorage']) {
    kept[name] = new Map(Object.entries(kept[name] ?? {}));
    Object.defineProperty(window, name, { configurable: true, enumerable: true, value: storageOf(kept[name]) });
  }

  function works() {
    try {
      return window.localStorage !== null && window.sessionStorage !== null;
    } catch {
      return false;
    }
  }

  function read() {
    try {
      return window.name.startsWith(mark) ? JSON.parse(window.name.slice(mark.length)) : {};
    } catch {
      return {};
    }
  }

  function keep() {
    const areas = Object.entries(kept).map(([name, values]) => [name, Object.fromEntries(values)]);
    window.name = mark + JSON.stringify(Object.fromEntries(areas));
    const studio = document.querySelector('script[src="/@atelier/client.js"]')?.dataset.studio;
    if (studio) window.parent.postMessage({ source: 'atelier-preview', type: 'stored', text: window.name }, studio);
  }

  // storageOf returns an object that works like the browser's own.
  function storageOf(values) {
    const put = (key, value) => {
      let chars = key.length + value.length;
      for (const [other, text] of values) if (other !== key) chars += other.length + text.length;
      if (chars > mostChars) throw new DOMException('The storage is full.', 'QuotaExceededError');
      values.set(key, value);
      keep();
    };
    const methods = {
      getItem: (key) => values.get(String(key)) ?? null,
      setItem: (key, value) => put(String(key), String(value)),
      removeItem: (key) => { if (values.delete(String(key))) keep(); },
      clear: () => { values.clear(); keep(); },
      key: (at) => [...values.keys()][at] ?? null,
    };
    return new Proxy(Object.create(Storage.prototype), {
      get: (target, key) => {
        if (key === 'length') return values.size;
        if (typeof key === 'symbol' || key === 'constructor') return Reflect.get(target, key);
        return methods[key] ?? values.get(key);
      },
      set: (_, key, value) => { put(String(key), String(value)); return true; },
      has: (target, key) => values.has(key) || key in methods || Reflect.has(target, key),
      deleteProperty: (_, key) => { methods.removeItem(key); return true; },
      ownKeys: () => [...values.keys()],
      getOwnPropertyDescriptor: (_, key) =>
        values.has(key) ? { configurable: true, enumerable: true, writable: true, value: values.get(key) } : undefined,
    });
  }
})();
