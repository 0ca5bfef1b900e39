// Calls to the public API. The session is a cookie that scripts cannot read. When it
// expires, it is renewed once and the call is repeated.

import { config } from '~/app/config';
import { currentLanguage } from '~/text';

/** ApiError is an error response, or a missing response. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** body has the other fields of the response, named as in the contract. */
    readonly body: Record<string, unknown> = {},
    /** retryAfter is the number of seconds to wait before a retry. */
    readonly retryAfter = 0,
  ) {
    super(message);
  }
}

export type Query = Record<string, string | number | boolean | null | undefined>;

export interface CallOptions {
  query?: Query;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** keepalive lets a call with a small body outlive the page. */
  keepalive?: boolean;
}

export const api = {
  get: <T>(path: string, options?: CallOptions) => call<T>('GET', path, undefined, options),
  post: <T>(path: string, body?: unknown, options?: CallOptions) => call<T>('POST', path, body, options),
  put: <T>(path: string, body?: unknown, options?: CallOptions) => call<T>('PUT', path, body, options),
  patch: <T>(path: string, body?: unknown, options?: CallOptions) => call<T>('PATCH', path, body, options),
  delete: <T = void>(path: string, options?: CallOptions, body?: unknown) => call<T>('DELETE', path, body, options),
};

/** address joins an API path and its query. */
export function address(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  if (pairs.length === 0) return path;
  return `${path}?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}

/**
 * filePath returns the address of a file, with each segment escaped. It throws an ApiError
 * for a path with "." or ".." segments, which browsers would resolve to another address.
 */
export function filePath(projectId: string, path: string): string {
  const segments = path.split('/');
  if (segments.some((segment) => segment === '.' || segment === '..'))
    throw new ApiError(400, 'path_traversal', 'The path escapes the project root.');
  return `/projects/${projectId}/files/${segments.map(encodeURIComponent).join('/')}`;
}

async function call<T>(method: string, path: string, body: unknown, options: CallOptions = {}): Promise<T> {
  const answer = await request(method, address(path, options.query), body, options);
  if (answer.status === 204 || answer.headers.get('Content-Length') === '0') return undefined as T;
  return (await answer.json()) as T;
}

/**
 * request makes a call and returns the raw response, for bodies that are not JSON. It sends
 * plain objects and arrays as JSON and everything else unchanged. It throws an ApiError for
 * an error response.
 */
export async function request(
  method: string,
  path: string,
  body?: unknown,
  options: CallOptions = {},
): Promise<Response> {
  let answer = await send(method, path, body, options);
  if (answer.status === 401 && isOver(await errorOf(answer.clone())) && (await renew())) {
    answer = await send(method, path, body, options);
  }
  if (answer.ok) return answer;
  const error = await errorOf(answer);
  if (isOver(error)) onSignedOut();
  onRefused(error.code);
  throw error;
}

// isOver tells a session that has ended from a wrong password or code, and from a sign-in that
// needs a second factor.
function isOver({ status, code }: ApiError): boolean {
  return status === 401 && code !== 'invalid_credentials' && code !== 'mfa_required';
}

async function send(
  method: string,
  path: string,
  body: unknown,
  { headers = {}, signal, keepalive }: CallOptions,
): Promise<Response> {
  const isJSON =
    body !== undefined && !(body instanceof FormData) && !(body instanceof Blob) && typeof body !== 'string';
  try {
    const answer = await fetch(config.base + path, {
      method,
      headers: {
        Accept: 'application/json',
        'Accept-Language': currentLanguage(),
        ...(isJSON ? { 'Content-Type': 'application/json' } : {}),
        ...headers,
      },
      body: isJSON ? JSON.stringify(body) : (body as BodyInit | undefined),
      signal,
      keepalive,
      credentials: 'same-origin',
    });
    onReached(true);
    return answer;
  } catch (error) {
    if (signal?.aborted) throw error;
    onReached(false);
    throw new ApiError(0, 'offline', 'The service cannot be reached.');
  }
}

/** errorOf reads an error response. */
export async function errorOf(answer: Response): Promise<ApiError> {
  let body: Record<string, unknown> = {};
  try {
    body = await answer.json();
  } catch {
    // The response comes from a proxy, not from the service: only the status is known.
  }
  const message = typeof body.message === 'string' ? body.message : `The service answered ${answer.status}.`;
  return new ApiError(
    answer.status,
    String(body.error ?? 'internal'),
    message,
    body,
    Number(answer.headers.get('Retry-After') ?? 0),
  );
}

let renewal: Promise<boolean> | null = null;

/** renew requests a new access cookie. Concurrent callers share one request. */
export function renew(): Promise<boolean> {
  renewal ??= fetch(`${config.base}/auth/refresh`, { method: 'POST', credentials: 'same-origin' })
    .then(
      (answer) => answer.ok,
      () => false,
    )
    .finally(() => {
      renewal = null;
    });
  return renewal;
}

let onRefused: (code: string) => void = () => {};

/** whenRefused sets the function that runs with the code of every error response. */
export function whenRefused(act: (code: string) => void): void {
  onRefused = act;
}

let onReached: (reached: boolean) => void = () => {};

/** whenReached sets the function that runs when a call has reached the service, or has not. */
export function whenReached(act: (reached: boolean) => void): void {
  onReached = act;
}

let onSignedOut: () => void = () => {};

/** whenSignedOut sets the function that runs when the session has ended. */
export function whenSignedOut(act: () => void): void {
  onSignedOut = act;
}
