  const MAX_LINE = 8192;
  const describeError = (error) => {
    const head = String(error.name) + ": " + String(error.message);
    return error.stack ? head + "\n" + String(error.stack).trimEnd() : head;
  };
  // inspect formats a value for people, limited to a few levels and a hundred members each.
  const inspect = (value, depth, seen) => {
    switch (typeof value) {
      case "string": return depth === 0 ? value : JSON.stringify(value);
      case "bigint": return value + "n";
      case "symbol": return String(value);
      case "function": return "[function " + (value.name || "(anonymous)") + "]";
      case "object": break;
      default: return String(value);
    }
    if (value === null) return "null";
    if (value instanceof Error) return describeError(value);
    if (value instanceof Date) return isNaN(value) ? "Invalid Date" : value.toISOString();
    if (value instanceof RegExp || value instanceof URL) return String(value);
    if (value instanceof Promise) return "Promise";
    if (seen.includes(value)) return "[circular]";
    if (depth > 4) return Array.isArray(value) ? "[…]" : "{…}";
    const inner = [...seen, value];
    const list = (open, items, close, size) => open + items.join(", ") + (size > items.length ? ", … " + (size - items.length) + " more" : "") + close;
    if (Array.isArray(value) || ArrayBuffer.isView(value)) return list("[", Array.from(Array.prototype.slice.call(value, 0, 100), (v) => inspect(v, depth + 1, inner)), "]", value.length);
    if (value instanceof Map) return list("Map {", [...value].slice(0, 100).map(([k, v]) => inspect(k, depth + 1, inner) + " => " + inspect(v, depth + 1, inner)), "}", value.size);
    if (value instanceof Set) return list("Set {", [...value].slice(0, 100).map((v) => inspect(v, depth + 1, inner)), "}", value.size);
    if (value instanceof Headers) return "Headers " + inspect(Object.fromEntries(value), depth, inner);
    if (value instanceof Response) return "Response { status: " + value.status + " }";
    if (value instanceof Request) return "Request { " + value.method + " " + value.url + " }";
    const names = Object.keys(value);
    return list("{", names.slice(0, 100).map((name) => name + ": " + inspect(value[name], depth + 1, inner)), "}", names.length);
  };
  const describe = (value) => {
    try {
      return inspect(value, 0, []);
    } catch {
      return "[cannot be shown]";
    }
  };
  const write = (level) => (...values) => {
    host("log", level, values.slice(0, 50).map(describe).join(" ").slice(0, MAX_LINE));
  };
  define({
    console: {
      log: write("info"), info: write("info"), debug: write("debug"), trace: write("debug"), warn: write("warn"), error: write("error"), dir: write("info"), table: write("info"),
      assert: (holds, ...values) => { if (!holds) write("error")("Assertion failed", ...values); },
      group() {}, groupEnd() {}, time() {}, timeEnd() {}, count() {},
    },
  });
