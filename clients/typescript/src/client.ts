import { Pages, type Page } from './pages.js';
import { ProblemError } from './problem.js';
import { pause, waitAfter } from './retry.js';

/** How a client reaches a server. */
export interface ClientOptions {
  /** The address of the server, such as `https://go.example.org`. */
  baseUrl: string;
  /** The API key. */
  key: string;
  /** For how many seconds the client repeats a request that failed for the moment; 60 by default, 0 never repeats. */
  retryFor?: number;
  /** After how many seconds without a complete response an attempt has failed; 60 by default. */
  timeout?: number;
  /** Sends the requests; the global `fetch` by default. */
  fetch?: typeof fetch;
}

/** Options of every call. */
export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal;
}

/** Options of calls that create something. */
export interface CreateOptions extends CallOptions {
  /** Identifies the request for 24 hours, so that it takes effect once even if another process repeats it. By default, a new UUID for each call. */
  idempotencyKey?: string;
}

/** Options of calls that change something. */
export interface ChangeOptions extends CallOptions {
  /** The version to which the change applies: an object as a client returned it, or its `ETag`. */
  ifMatch?: object | string;
}

/** A change that goes on after the response: `status` of the event says when it is done. */
export interface Running {
  event_id: number;
}

/** A request, before it is sent. */
export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: Record<string, unknown>;
  body?: unknown;
  /** Whether the operation takes an idempotency key. */
  isIdempotent?: boolean;
}

const headersOf = new WeakMap<object, Headers>();

/** Returns the `ETag` of an object that a client returned, if its response had one. */
export function etagOf(value: object): string | undefined {
  return headersOf.get(value)?.get('ETag') ?? undefined;
}

/** Returns the event of a change from what a client returned for it, if the change recorded one. */
export function eventIdOf(value: object): number | undefined {
  const inBody = 'event_id' in value ? value.event_id : undefined;
  return Number(headersOf.get(value)?.get('Event-Id') ?? inBody) || undefined;
}

/** Returns the headers of the response from which a client read this object. */
export function responseHeadersOf(value: object): Headers | undefined {
  return headersOf.get(value);
}

/** Returns a value as one segment of a path. */
export function segment(value: number | string): string {
  return encodeURIComponent(value);
}

export { Pages, type Page };

/** Sends requests and repeats them if that is safe. */
export class Client {
  readonly #baseUrl: string;
  readonly #key: string;
  readonly #retryFor: number;
  readonly #timeout: number;
  readonly #fetch: typeof fetch;

  constructor(options: ClientOptions) {
    // `fetch` rejects these like a lost connection, and the client would repeat the request.
    if (!canFetch(options.baseUrl)) {
      throw new TypeError('baseUrl must begin with http:// or https:// and a host');
    }
    if (!/^[!-~]+$/.test(options.key.trim())) {
      throw new TypeError('key must be visible ASCII characters');
    }
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.#key = options.key.trim();
    this.#retryFor = 1000 * (options.retryFor ?? 60);
    this.#timeout = 1000 * (options.timeout ?? 60);
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /** Sends a request, and returns the body of its response. */
  protected async call<T>(request: Request, options: CreateOptions & ChangeOptions): Promise<T> {
    const headers = new Headers({ Accept: 'application/json', Authorization: `Bearer ${this.#key}` });
    const init: RequestInit = { method: request.method, headers, redirect: 'manual' };
    if (request.body !== undefined) {
      headers.set('Content-Type', 'application/json');
      init.body = JSON.stringify(request.body);
    }
    if (request.isIdempotent) {
      headers.set('Idempotency-Key', options.idempotencyKey ?? newKey());
    }
    if (options.ifMatch !== undefined) {
      headers.set('If-Match', tagOf(options.ifMatch));
    }
    const response = await this.#send(request, init, options.signal);
    const running = response.status === 202 ? { event_id: Number(response.headers.get('Event-Id')) } : undefined;
    const body = (response.text ? JSON.parse(response.text) : running) as T;
    if (typeof body === 'object' && body !== null) {
      headersOf.set(body, response.headers);
    }
    return body;
  }

  /** Returns a list, whose pages are requested as they are read. */
  protected list<T>(path: string, query: object, options: CallOptions): Pages<T> {
    return new Pages(async (cursor) => {
      const request = { method: 'GET', path, query: { ...query, cursor } } as const;
      const page = await this.call<{ data: T[]; next_cursor?: string | null }>(request, options);
      // The lists of `/api/v1` have only the header.
      const next = 'next_cursor' in page ? page.next_cursor ?? undefined : nextCursor(headersOf.get(page)?.get('Link'));
      return { data: page.data, next };
    });
  }

  async #send(request: Request, init: RequestInit, signal?: AbortSignal): Promise<Answer> {
    const url = this.#baseUrl + request.path + queryString(request.query);
    const canRepeat = request.method !== 'POST' || request.isIdempotent === true;
    const deadline = Date.now() + this.#retryFor;
    // Whether an earlier attempt may have taken effect.
    let isUnknown = false;
    for (let attempt = 0; ; attempt++) {
      let failure: unknown;
      try {
        const limit = AbortSignal.timeout(this.#timeout);
        const response = await this.#fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, limit]) : limit });
        const answer = { status: response.status, headers: response.headers, text: await response.text() };
        if (response.ok || (isUnknown && request.method === 'DELETE' && response.status === 404)) {
          return response.ok ? answer : { ...answer, text: '' };
        }
        failure = ProblemError.from(response.status, answer.headers, answer.text);
      } catch (error) {
        signal?.throwIfAborted();
        failure = error;
      }
      const wait = waitAfter(failure, attempt, canRepeat);
      if (wait === undefined || Date.now() + wait > deadline) {
        throw failure;
      }
      isUnknown ||= !(failure instanceof ProblemError && failure.status === 429);
      await pause(wait, signal);
    }
  }
}

// On a page in a browser, the address may be relative.
function canFetch(address: string): boolean {
  const page = globalThis.location?.href;
  return URL.canParse(address, page) && /^https?:$/.test(new URL(address, page).protocol);
}

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

// `crypto.randomUUID` exists only on pages that a browser got over TLS or from its own machine.
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function tagOf(version: object | string): string {
  const tag = typeof version === 'string' ? version : etagOf(version);
  if (!tag) {
    throw new TypeError('ifMatch is neither an ETag nor an object from a response with one');
  }
  return tag;
}

function queryString(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const));
  const pairs = given.filter(([, one]) => one !== undefined && one !== null).map(([name, one]) => [name, String(one)]);
  return pairs.length ? `?${new URLSearchParams(pairs)}` : '';
}

// Only the cursor of the next page's URL is used, so that the key goes to no other address.
function nextCursor(link: string | null | undefined): string | undefined {
  const url = link?.match(/<([^>]*)>\s*;\s*rel="?next"?/)?.[1];
  return url === undefined ? undefined : new URL(url, 'http://localhost').searchParams.get('cursor') ?? undefined;
}
