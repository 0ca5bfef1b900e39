  const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
  const fieldName = (name) => {
    name = String(name);
    if (!TOKEN.test(name)) throw new TypeError("Invalid header name: " + name.slice(0, 100));
    return name.toLowerCase();
  };
  const fieldValue = (value) => {
    value = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
    if (/[\0\n\r\u0100-\uffff]/.test(value)) throw new TypeError("Invalid header value");
    return value;
  };

  class Headers {
    #fields = new Map();
    constructor(init) {
      if (init === undefined || init === null) return;
      if (typeof init !== "object") throw new TypeError("Headers takes an object, or a list of pairs");
      for (const [name, value] of typeof init[Symbol.iterator] === "function" ? init : Object.entries(init)) this.append(name, value);
    }
    append(name, value) {
      name = fieldName(name);
      const values = this.#fields.get(name) ?? [];
      values.push(fieldValue(value));
      this.#fields.set(name, values);
    }
    set(name, value) { this.#fields.set(fieldName(name), [fieldValue(value)]); }
    get(name) { return this.#fields.get(fieldName(name))?.join(", ") ?? null; }
    has(name) { return this.#fields.has(fieldName(name)); }
    delete(name) { this.#fields.delete(fieldName(name)); }
    getSetCookie() { return [...(this.#fields.get("set-cookie") ?? [])]; }
    forEach(each, self) { for (const [name, value] of this) each.call(self, value, name, this); }
    *entries() {
      for (const name of [...this.#fields.keys()].sort()) {
        if (name === "set-cookie") for (const value of this.#fields.get(name) ?? []) yield [name, value];
        else yield [name, this.get(name)];
      }
    }
    *keys() { for (const [name] of this.entries()) yield name; }
    *values() { for (const [, value] of this.entries()) yield value; }
    [Symbol.iterator]() { return this.entries(); }
    get [Symbol.toStringTag]() { return "Headers"; }
  }

  class FormData {
    #pairs = [];
    append(name, value) { this.#pairs.push([String(name), String(value)]); }
    set(name, value) { this.delete(name); this.append(name, value); }
    delete(name) { this.#pairs = this.#pairs.filter(([n]) => n !== String(name)); }
    get(name) { return this.#pairs.find(([n]) => n === String(name))?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter(([n]) => n === String(name)).map(([, v]) => v); }
    has(name) { return this.#pairs.some(([n]) => n === String(name)); }
    forEach(each, self) { for (const [name, value] of this.#pairs) each.call(self, value, name, this); }
    *entries() { for (const [name, value] of this.#pairs) yield [name, value]; }
    *keys() { for (const [name] of this.#pairs) yield name; }
    *values() { for (const [, value] of this.#pairs) yield value; }
    [Symbol.iterator]() { return this.entries(); }
  }

  // ReadableStream is a body that is complete already, for response.body.
  let contentOfStream;
  class ReadableStream {
    #content; #read = false; #locked = false;
    static { contentOfStream = (stream) => { stream.#locked = true; return stream.#content; }; }
    constructor(content) {
      if (typeof content !== "string" && !(content instanceof Uint8Array)) throw new TypeError("streams cannot be made here: give a Response its whole body");
      this.#content = content;
    }
    get locked() { return this.#locked; }
    #next() {
      if (this.#read) return { done: true, value: undefined };
      this.#read = true;
      return { done: false, value: typeof this.#content === "string" ? encode(this.#content) : this.#content };
    }
    getReader() {
      if (this.#locked) throw new TypeError("the stream has a reader");
      this.#locked = true;
      return { read: async () => this.#next(), cancel: async () => { this.#read = true; }, releaseLock: () => { this.#locked = false; }, closed: Promise.resolve() };
    }
    async cancel() { this.#read = true; }
    async *[Symbol.asyncIterator]() { for (let part = this.#next(); !part.done; part = this.#next()) yield part.value; }
  }

  // takeBody returns the content of a body, as text or bytes, and its type.
  const takeBody = (body) => {
    if (body === undefined || body === null) return [null, null];
    if (body instanceof ReadableStream) return [contentOfStream(body), null];
    if (body instanceof URLSearchParams) return [body.toString(), "application/x-www-form-urlencoded;charset=UTF-8"];
    if (body instanceof FormData) return [new URLSearchParams(body).toString(), "application/x-www-form-urlencoded;charset=UTF-8"];
    if (typeof body === "object" && (ArrayBuffer.isView(body) || body instanceof ArrayBuffer)) return [bytesOf(body).slice(), null];
    return [String(body), "text/plain;charset=UTF-8"];
  };

  let contentOf;
  class Body {
    #content; #used = false; #stream;
    static { contentOf = (body) => body.#content; }
    constructor(content) { this.#content = content; }
    get bodyUsed() { return this.#used; }
    get body() {
      if (this.#content === null) return null;
      return (this.#stream ??= new ReadableStream(this.#content));
    }
    #take() {
      if (this.#used) throw new TypeError("the body was read already");
      this.#used = this.#content !== null;
      return this.#content ?? "";
    }
    async text() {
      const content = this.#take();
      return typeof content === "string" ? content.toWellFormed() : decode(content).replace(/^\ufeff/, "");
    }
    async json() { return JSON.parse(await this.text()); }
    async bytes() {
      const content = this.#take();
      return typeof content === "string" ? encode(content) : content.slice();
    }
    async arrayBuffer() { return (await this.bytes()).buffer; }
    async formData() {
      const type = this.headers.get("content-type") ?? "";
      if (!type.startsWith("application/x-www-form-urlencoded")) throw new TypeError("formData reads application/x-www-form-urlencoded only");
      const form = new FormData();
      for (const [name, value] of parseForm(await this.text())) form.append(name, value);
      return form;
    }
  }
