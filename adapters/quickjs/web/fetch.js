  const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
  const COMMON = ["DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"];

  class Request extends Body {
    #method; #url; #headers; #signal; #redirect;
    constructor(input, init = {}) {
      const from = input instanceof Request ? input : null;
      const [content, type] = init.body !== undefined ? takeBody(init.body) : [from ? contentOf(from) : null, null];
      super(content);
      this.#url = from ? from.url : new URL(String(input)).href;
      const method = String(init.method ?? from?.method ?? "GET");
      if (!METHOD.test(method)) throw new TypeError("Invalid method");
      this.#method = COMMON.includes(method.toUpperCase()) ? method.toUpperCase() : method;
      if (content !== null && (this.#method === "GET" || this.#method === "HEAD")) throw new TypeError("a request with GET or HEAD has no body");
      this.#headers = new Headers(init.headers ?? from?.headers);
      if (type && !this.#headers.has("content-type")) this.#headers.set("content-type", type);
      this.#signal = init.signal ?? from?.signal ?? new AbortSignal();
      this.#redirect = String(init.redirect ?? from?.redirect ?? "follow");
    }
    get method() { return this.#method; }
    get url() { return this.#url; }
    get headers() { return this.#headers; }
    get signal() { return this.#signal; }
    get redirect() { return this.#redirect; }
    clone() { return new Request(this); }
    get [Symbol.toStringTag]() { return "Request"; }
  }

  let partsOf, answered;
  class Response extends Body {
    #status; #statusText; #headers; #url = "";
    static {
      partsOf = (response) => (#status in response ? { status: response.#status, headers: response.#headers, content: contentOf(response) } : null);
      answered = (content, head, url) => {
        const response = new Response(content.length > 0 ? content : null, { status: 200, headers: head.header });
        response.#status = head.status;
        response.#url = url;
        return response;
      };
    }
    constructor(body = null, init = {}) {
      const [content, type] = takeBody(body);
      super(content);
      this.#status = Math.trunc(Number(init?.status ?? 200));
      if (!(this.#status >= 200 && this.#status <= 599)) throw new RangeError("a status is a number from 200 to 599");
      if (content !== null && [204, 205, 304].includes(this.#status)) throw new TypeError("a response with status " + this.#status + " has no body");
      this.#statusText = String(init?.statusText ?? "");
      this.#headers = new Headers(init?.headers);
      if (type && !this.#headers.has("content-type")) this.#headers.set("content-type", type);
    }
    get status() { return this.#status; }
    get statusText() { return this.#statusText; }
    get ok() { return this.#status >= 200 && this.#status < 300; }
    get headers() { return this.#headers; }
    get url() { return this.#url; }
    get redirected() { return false; }
    get type() { return "default"; }
    clone() { return new Response(contentOf(this), this); }
    static json(value, init = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has("content-type")) headers.set("content-type", "application/json");
      return new Response(JSON.stringify(value), { ...init, headers });
    }
    static redirect(url, status = 302) {
      if (![301, 302, 303, 307, 308].includes(status)) throw new RangeError("Invalid status of a redirect");
      return new Response(null, { status, headers: { location: String(url) } });
    }
    static error() { throw new TypeError("network errors cannot be answered"); }
    get [Symbol.toStringTag]() { return "Response"; }
  }

  // Calls of the host. Each waits for one answer, which settle delivers.
  const waiting = new Map();
  let lastCall = 0;
  const ask = (kind, head, content = null, signal = undefined) => new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const text = typeof content === "string";
    const id = ++lastCall;
    host("ask", id, kind, JSON.stringify(head), text, content === null ? "" : text ? content : toBase64(content));
    waiting.set(id, { resolve, reject });
    signal?.addEventListener("abort", () => { if (waiting.delete(id)) reject(signal.reason); });
  });
  const settle = (id, fault, head, body) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (!call) return;
    if (fault) call.reject(new Error(fault));
    else call.resolve({ head: JSON.parse(head), content: fromBase64(body) });
  };

  const fetch = async (input, init) => {
    const request = new Request(input, init);
    const head = { method: request.method, url: request.url, header: [...request.headers] };
    const answer = await ask("fetch", head, contentOf(request), request.signal);
    return answered(answer.content, answer.head, request.url);
  };

  define({ Headers, FormData, ReadableStream, Request, Response, fetch });
