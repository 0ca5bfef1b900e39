  const escapeForm = (text) => encodeURIComponent(text.toWellFormed()).replace(/%20/g, "+").replace(/[!'()~]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
  const unescapeForm = (text) => {
    text = text.replace(/\+/g, " ");
    try {
      return decodeURIComponent(text);
    } catch {
      return host("unescape", text);
    }
  };
  const parseForm = (text) => text.split("&").filter(Boolean).map((pair) => {
    const [name] = pair.split("=", 1);
    return [unescapeForm(name), unescapeForm(pair.slice(name.length + 1))];
  });

  let onChange;
  class URLSearchParams {
    #pairs = [];
    #changed = () => {};
    static { onChange = (params, changed) => { params.#changed = changed; }; }
    constructor(init = "") {
      if (init && typeof init === "object") {
        const pairs = typeof init[Symbol.iterator] === "function" ? [...init] : Object.entries(init);
        this.#pairs = pairs.map(([name, value]) => [String(name), String(value)]);
      } else {
        this.#pairs = parseForm(String(init).replace(/^\?/, ""));
      }
    }
    get size() { return this.#pairs.length; }
    append(name, value) { this.#pairs.push([String(name), String(value)]); this.#changed(); }
    delete(name, value) {
      this.#pairs = this.#pairs.filter(([n, v]) => n !== String(name) || (value !== undefined && v !== String(value)));
      this.#changed();
    }
    get(name) { return this.#pairs.find(([n]) => n === String(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter(([n]) => n === String(name)).map(([, v]) => v); }
    has(name, value) { return this.#pairs.some(([n, v]) => n === String(name) && (value === undefined || v === String(value))); }
    set(name, value) {
      const first = this.#pairs.findIndex(([n]) => n === String(name));
      if (first < 0) return this.append(name, value);
      this.#pairs = this.#pairs.filter(([n], i) => n !== String(name) || i === first);
      this.#pairs[first] = [String(name), String(value)];
      this.#changed();
    }
    sort() { this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); this.#changed(); }
    forEach(each, self) { for (const [name, value] of this.#pairs) each.call(self, value, name, this); }
    *entries() { for (const [name, value] of this.#pairs) yield [name, value]; }
    *keys() { for (const [name] of this.#pairs) yield name; }
    *values() { for (const [, value] of this.#pairs) yield value; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map(([name, value]) => escapeForm(name) + "=" + escapeForm(value)).join("&"); }
    get [Symbol.toStringTag]() { return "URLSearchParams"; }
  }

  class URL {
    #parts; #params;
    constructor(text, base) {
      const parsed = host("url", String(text), base === undefined ? "" : String(base));
      if (!parsed) throw new TypeError("Invalid URL: " + String(text).slice(0, 200));
      this.#parts = JSON.parse(parsed);
    }
    static canParse(text, base) { return host("url", String(text), base === undefined ? "" : String(base)) !== ""; }
    static parse(text, base) { return URL.canParse(text, base) ? new URL(text, base) : null; }
    #change(member, value) {
      const parsed = host("urlset", JSON.stringify(this.#parts), member, String(value));
      if (parsed) this.#parts = JSON.parse(parsed);
    }
    get href() { return this.#parts.href; }
    set href(value) { this.#parts = JSON.parse(host("url", String(value), "") || (() => { throw new TypeError("Invalid URL"); })()); this.#params = undefined; }
    get origin() { return ["http:", "https:", "ws:", "wss:"].includes(this.#parts.protocol) ? this.#parts.protocol + "//" + this.#parts.host : "null"; }
    get protocol() { return this.#parts.protocol; }
    set protocol(value) { this.#change("protocol", value); }
    get username() { return this.#parts.username; }
    set username(value) { this.#change("username", value); }
    get password() { return this.#parts.password; }
    set password(value) { this.#change("password", value); }
    get host() { return this.#parts.host; }
    set host(value) { this.#change("host", value); }
    get hostname() { return this.#parts.hostname; }
    set hostname(value) { this.#change("hostname", value); }
    get port() { return this.#parts.port; }
    set port(value) { this.#change("port", value); }
    get pathname() { return this.#parts.pathname; }
    set pathname(value) { this.#change("pathname", value); }
    get search() { return this.#parts.search; }
    set search(value) { this.#change("search", value); this.#params = undefined; }
    get hash() { return this.#parts.hash; }
    set hash(value) { this.#change("hash", value); }
    get searchParams() {
      if (!this.#params) {
        this.#params = new URLSearchParams(this.#parts.search);
        const params = this.#params;
        onChange(params, () => this.#change("search", params.toString()));
      }
      return this.#params;
    }
    toString() { return this.#parts.href; }
    toJSON() { return this.#parts.href; }
    get [Symbol.toStringTag]() { return "URL"; }
  }

  define({ URL, URLSearchParams });
