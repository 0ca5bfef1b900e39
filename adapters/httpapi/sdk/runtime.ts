/** Options configure a client. */
export interface Options {
  /** url is the address of the installation, such as https://atelier.example.com. */
  url: string;
  /** token is an access token or an API token, or returns the present one. Pages of the service need none. */
  token?: string | (() => string | undefined | Promise<string | undefined>);
  /** fetch replaces the global fetch. */
  fetch?: typeof globalThis.fetch;
}

/** CallOptions are those of one call. Q has the parameters of the query. */
export interface CallOptions<Q = Record<never, never>> {
  query?: Q;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** StreamEvent is an event of a stream. id continues the stream after it, null if the event has none. */
export interface StreamEvent<T> {
  id: string | null;
  data: T;
}

/** AtelierError is an error that the service answered. */
export class AtelierError extends Error {
  constructor(
    readonly status: number,
    /** code is one of the codes of the description, or '' if something in between answered. */
    readonly code: ErrorCode | '',
    message: string,
    /** body has the other members of the answer. */
    readonly body: { [member: string]: unknown },
    /** retryAfter is the number of seconds to wait before another try, 0 without one. */
    readonly retryAfter: number,
  ) {
    super(message);
    this.name = 'AtelierError';
  }
}

class Caller {
  constructor(private readonly options: Options) {}

  /** send makes a call, and throws an AtelierError for an error. */
  async send(method: string, path: string, options: CallOptions<object> = {}, body?: unknown, kind?: string): Promise<Response> {
    const { token, fetch = globalThis.fetch } = this.options;
    const bearer = typeof token === 'function' ? await token() : token;
    const headers: { [name: string]: string } = { Accept: 'application/json' };
    if (bearer) headers.Authorization = `Bearer ${bearer}`;
    if (kind) headers['Content-Type'] = kind;
    const answer = await fetch(this.options.url.replace(/\/+$/, '') + path + queryOf(options.query), {
      method,
      headers: { ...headers, ...options.headers },
      body: kind === 'application/json' ? JSON.stringify(body) : (body as BodyInit | undefined),
      signal: options.signal,
    });
    if (!answer.ok) throw await errorOf(answer);
    return answer;
  }

  /** json makes a call whose answer is JSON, or empty. */
  async json<T>(method: string, path: string, options?: CallOptions<object>, body?: unknown, kind?: string): Promise<T> {
    const text = await (await this.send(method, path, options, body, kind)).text();
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** events makes a call whose answer is a stream, until the service or the caller ends it. */
  async *events<T>(method: string, path: string, options: CallOptions<object> = {}, body?: unknown, kind?: string): AsyncGenerator<StreamEvent<T>, void> {
    const headers = { Accept: 'text/event-stream', ...options.headers };
    const answer = await this.send(method, path, { ...options, headers }, body, kind);
    if (!answer.body) return;
    const reader = answer.body.getReader();
    try {
      const decoder = new TextDecoder();
      for (let rest = ''; ; ) {
        const { done, value } = await reader.read();
        rest += value ? decoder.decode(value, { stream: true }) : '';
        const frames = rest.split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) {
          const event = eventOf<T>(frame);
          if (event) yield event;
        }
        if (done) return;
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }
}

function queryOf(query: object | undefined): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}

async function errorOf(answer: Response): Promise<AtelierError> {
  const body = await answer.json().catch(() => ({}));
  const { error, message, ...others } = body !== null && typeof body === 'object' ? body : ({} as Partial<ErrorBody>);
  return new AtelierError(answer.status, error ?? '', message ?? answer.statusText, others, Number(answer.headers.get('Retry-After') ?? 0));
}

function eventOf<T>(frame: string): StreamEvent<T> | null {
  let id: string | null = null;
  let data = '';
  for (const line of frame.split('\n')) {
    if (line.startsWith('id: ')) id = line.slice(4);
    if (line.startsWith('data: ')) data += line.slice(6);
  }
  return data === '' ? null : { id, data: JSON.parse(data) as T };
}

function segments(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
