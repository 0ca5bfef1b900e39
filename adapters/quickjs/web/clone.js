  const structuredClone = (value) => {
    const seen = new Map();
    const copy = (from) => {
      if (typeof from === "function" || typeof from === "symbol") throw new DOMException("a " + typeof from + " cannot be cloned", "DataCloneError");
      if (typeof from !== "object" || from === null) return from;
      if (seen.has(from)) return seen.get(from);
      const keep = (to) => { seen.set(from, to); return to; };
      if (from instanceof Date) return keep(new Date(from.getTime()));
      if (from instanceof RegExp) return keep(new RegExp(from.source, from.flags));
      if (from instanceof ArrayBuffer) return keep(from.slice(0));
      if (from instanceof DataView) return keep(new DataView(copy(from.buffer), from.byteOffset, from.byteLength));
      if (ArrayBuffer.isView(from)) return keep(from.slice());
      if (from instanceof Map) { const to = keep(new Map()); for (const [k, v] of from) to.set(copy(k), copy(v)); return to; }
      if (from instanceof Set) { const to = keep(new Set()); for (const v of from) to.add(copy(v)); return to; }
      if (from instanceof Error) { const to = keep(new Error(from.message)); to.name = from.name; to.stack = from.stack; return to; }
      if (from instanceof Promise || from instanceof WeakMap || from instanceof WeakSet || from instanceof Body) throw new DOMException("this object cannot be cloned", "DataCloneError");
      const to = keep(Array.isArray(from) ? new Array(from.length) : {});
      for (const name of Object.keys(from)) to[name] = copy(from[name]);
      return to;
    };
    return copy(value);
  };
  define({ structuredClone });
