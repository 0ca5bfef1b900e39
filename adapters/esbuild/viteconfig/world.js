// What a configuration of Vite expects of the world, and QuickJS does not have. The project's root
// is /app.
{
  const root = "/app";
  const parts = (name) => {
    const out = [];
    for (const part of name.split("/")) {
      if (part === "..") out.pop();
      else if (part && part !== ".") out.push(part);
    }
    return out;
  };
  const join = (...all) => {
    const name = all.filter(Boolean).map(String).join("/");
    return (name.startsWith("/") ? "/" : "") + parts(name).join("/") || ".";
  };
  const resolve = (...all) => {
    const last = all.findLastIndex((part) => String(part).startsWith("/"));
    return "/" + parts((last < 0 ? [root, ...all] : all.slice(last)).map(String).join("/")).join("/");
  };
  const dirname = (name) => join(name, "..");
  const basename = (name, end = "") => {
    const base = parts(String(name)).pop() ?? "";
    return end && base !== end && base.endsWith(end) ? base.slice(0, -end.length) : base;
  };
  const extname = (name) => /.\.[^.]*$/.test(basename(name)) ? basename(name).replace(/^.*(?=\.)/, "") : "";
  const relative = (from, to) => {
    const [a, b] = [parts(resolve(from)), parts(resolve(to))];
    while (a.length && a[0] === b[0]) a.shift(), b.shift();
    return [...a.map(() => ".."), ...b].join("/");
  };
  const path = { join, resolve, dirname, basename, extname, relative, normalize: (name) => join(name), isAbsolute: (name) => String(name).startsWith("/"), sep: "/", delimiter: ":" };
  path.posix = path;

  globalThis.console = { log() {}, info() {}, debug() {}, warn() {}, error() {} };
  globalThis.process = { env: { NODE_ENV: "development" }, argv: [], versions: { node: "22.0.0" }, platform: "linux", cwd: () => root, on() {} };
  globalThis.URL = class {
    constructor(spec, base) {
      const text = String(spec);
      if (/^[a-z][a-z+.-]*:/i.test(text)) this.href = text;
      else this.href = "file://" + resolve(dirname(String(base).replace(/^file:\/\//, "")), text);
      this.pathname = this.href.replace(/^[a-z+.-]*:\/\/[^/]*/i, "");
    }
    toString() { return this.href; }
  };
  const fileURLToPath = (url) => String(url).replace(/^file:\/\//, "");
  const url = { fileURLToPath, pathToFileURL: (name) => new URL("file://" + resolve(name)), URL };

  const read = (name) => {
    const inside = relative(root, fileURLToPath(name));
    const text = hostRead(inside);
    if (text === null) throw Object.assign(new Error(`there is no file ${inside} in the project`), { code: "ENOENT" });
    return text;
  };
  const fs = { readFileSync: read, existsSync: (name) => { try { read(name); return true; } catch { return false; } } };

  // known is the mark of what a known plugin returns. A plugin is a function, and so is all that its
  // module exports, by whatever name: esbuild looks names up at the module's prototype.
  const known = Symbol("known");
  const plugin = (name) => {
    const make = (options) => ({ [known]: name, options });
    const get = (_, key) => (key === known ? name : key === "__esModule" || key === "then" || typeof key === "symbol" ? undefined : make);
    return new Proxy(make, { get, getPrototypeOf: () => new Proxy({}, { get }) });
  };

  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value) && Object.getPrototypeOf(value) === Object.prototype;
  const mergeConfig = (one, other) => {
    const merged = { ...one };
    for (const [key, value] of Object.entries(other ?? {})) {
      const before = merged[key];
      if (value === undefined || value === null) continue;
      if (key === "alias" && before) merged[key] = [...aliasesOf(value), ...aliasesOf(before)];
      else if (Array.isArray(before) || Array.isArray(value)) merged[key] = before === undefined ? value : [].concat(before, value);
      else if (isObject(before) && isObject(value)) merged[key] = mergeConfig(before, value);
      else merged[key] = value;
    }
    return merged;
  };
  const aliasesOf = (alias) => (Array.isArray(alias) ? alias : Object.entries(alias).map(([find, replacement]) => ({ find, replacement })));

  const loadEnv = (mode, _, prefixes = "VITE_") => {
    const begins = [].concat(prefixes);
    return Object.fromEntries(Object.entries(viteInput.env[mode] ?? viteInput.env[""]).filter(([key]) => begins.some((prefix) => key.startsWith(prefix))));
  };
  const defineConfig = (config) => config;
  const vite = {
    defineConfig, mergeConfig, mergeAlias: (a, b) => [...aliasesOf(b), ...aliasesOf(a)], loadEnv, normalizePath: (name) => name, searchForWorkspaceRoot: () => root,
    createLogger: () => ({ info() {}, warn() {}, warnOnce() {}, error() {}, clearScreen() {}, hasErrorLogged: () => false, hasWarned: false }),
    splitVendorChunkPlugin: plugin("splitVendorChunkPlugin"), version: "7.0.0",
    defaultClientConditions: [], defaultServerConditions: [], defaultClientMainFields: [],
  };
  const vitest = { ...vite, defineProject: defineConfig, defineWorkspace: defineConfig, configDefaults: { exclude: [], include: [], coverage: {} }, coverageConfigDefaults: { exclude: [] } };

  globalThis.viteWorld = { vite, "vitest/config": vitest, path, url, fs, process: globalThis.process, plugin };
  globalThis.vitePath = { root, relative, resolve };
  globalThis.viteKnown = known;
  globalThis.viteAliases = aliasesOf;
}
