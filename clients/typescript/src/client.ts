import { documentVersion, packageVersion } from './codes.js';
import { Pages, type Page } from './pages.js';
import { TerseConnectionError, TerseError, TerseProblem, TerseTimeoutError, toProblem } from './problem.js';

export { Pages, type Page };

/** How a client reaches a server. */
export interface ClientOptions {
  /** The address of the server, such as `https://go.example.org`. */
  baseUrl: string;
  /** The API key. */
  key: string;
  /** After how many milliseconds without a complete response an attempt has failed; 30,000 by default. */
  timeout?: number;
  /** For how many milliseconds the client repeats a request that failed for the moment; 120,000 by default, 0 never repeats. */
  retryFor?: number;
  /** Sends the requests; the global `fetch` by default. */
  fetch?: typeof fetch;
  /** Functions that are called for each attempt. */
  hooks?: Hooks;
}

/** Functions that are called for each attempt to send a request. They never see the key. */
export interface Hooks {
  /** Before an attempt. It may set headers, such as `traceparent`. */
  request?: (attempt: Attempt) => void;
  /** After a response, whatever its status. */
  response?: (attempt: Attempt & { response: Response; milliseconds: number }) => void;
  /** Before the wait for another attempt. */
  retry?: (attempt: Attempt & { error: TerseError; wait: number }) => void;
}

/** An attempt to send a request. */
export interface Attempt {
  readonly method: string;
  readonly url: string;
  /** The headers of the request, but for `Authorization`. */
  readonly headers: Headers;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** Options of every call. */
export interface CallOptions {
  /** As for the client. */
  timeout?: number;
  /** As for the client. */
  retryFor?: number;
  /** Headers to send beside those of the client. */
  headers?: HeadersInit;
  /** Cancels the call. */
  signal?: AbortSignal;
}

/** Options of calls that create something. */
export interface CreateOptions extends CallOptions {
  /** Identifies the request for 24 hours, so that it takes effect once even if another process repeats it. By default, a random one for each call. */
  idempotencyKey?: string;
}

/** Options of calls that change something. */
export interface ChangeOptions extends CallOptions {
  /** The version to which the change applies: an object as the server returned it, or its `etag`. */
  ifMatch?: { etag: string } | string;
}

/** A change that goes on after the response: `status` of the event says when it is done. */
export interface Running {
  event_id: number;
}

type Path = string | (() => string);

/** What an operation sends. */
interface Content {
  query?: object;
  body?: object;
  /** Whether the operation takes an idempotency key. */
  isIdempotent?: boolean;
  /** Whether a `POST` changes nothing. */
  isRepeatable?: boolean;
}

interface Answer {
  response: Response;
  text: string;
}

const responses = new WeakMap<object, Response>();

/** Returns the response from which a client read this object. Its body has been read. */
export function responseOf(value: object): Response | undefined {
  return responses.get(value);
}

/** Returns the event of a change from what a client returned for it, if the change recorded one. */
export function eventIdOf(value: object): number | undefined {
  const inBody = 'event_id' in value ? value.event_id : undefined;
  return Number(responses.get(value)?.headers.get('Event-Id') ?? inBody) || undefined;
}

/** Returns a value as one segment of a path. */
export function segment(value: number | string): string {
  const text = String(value);
  // A URL loses these when it is parsed, and the request would be another one.
  if (/^\.{0,2}$/.test(text)) {
    throw new TypeError(`'${text}' cannot be part of an address`);
  }
  return encodeURIComponent(text);
}

/** The operations of a client or of one of its resources. */
export abstract class Resource {
  protected readonly core: Core;

  constructor(core: Core) {
    this.core = core;
  }
}

/** Sends requests and repeats them if that is safe. */
export class Core {
  readonly #baseUrl: string;
  readonly #key: string;
  readonly #timeout: number;
  readonly retryFor: number;
  readonly #fetch: typeof fetch;
  readonly #hooks: Hooks;

  constructor(options: ClientOptions) {
    // `fetch` rejects these like a lost connection, and the client would repeat the request.
    if (!canFetch(options.baseUrl)) {
      throw new TypeError('baseUrl must begin with http:// or https:// and a host, without a user, a query or a fragment');
    }
    if (!/^[!-~]+$/.test(options.key.trim())) {
      throw new TypeError('key must be visible ASCII characters');
    }
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '');
    this.#key = options.key.trim();
    this.#timeout = milliseconds('timeout', options.timeout ?? 30_000, 1);
    this.retryFor = milliseconds('retryFor', options.retryFor ?? 120_000, 0);
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#hooks = options.hooks ?? {};
  }

  /** Sends a request, and returns the body of its response. */
  async call<T>(method: string, path: Path, content: Content, options: CreateOptions & ChangeOptions): Promise<T> {
    const headers = new Headers(options.headers);
    headers.set('Accept', 'application/json');
    if (userAgent) {
      headers.set('User-Agent', userAgent);
    }
    let body: string | undefined;
    if (content.body !== undefined) {
      headers.set('Content-Type', 'application/json');
      body = toJson(content.body);
    }
    if (content.isIdempotent) {
      headers.set('Idempotency-Key', options.idempotencyKey ?? newKey());
    }
    if (options.ifMatch !== undefined) {
      headers.set('If-Match', tagOf(options.ifMatch));
    }
    const canRepeat = method !== 'POST' || content.isIdempotent === true || content.isRepeatable === true;
    const url = this.#baseUrl + (typeof path === 'string' ? path : path()) + queryString(content.query);
    const { response, text } = await this.#send({ method, url, headers, attempt: 1 }, body, canRepeat, options);
    const running = response.status === 202 ? { event_id: Number(response.headers.get('Event-Id')) } : undefined;
    const value = (text ? JSON.parse(text) : running) as T;
    if (typeof value === 'object' && value !== null) {
      responses.set(value, response);
    }
    return value;
  }

  /** Returns a list, whose pages are requested as they are read. */
  list<T>(path: Path, query: { limit?: number }, options: CallOptions): Pages<T> {
    return new Pages(async (cursor, most) => {
      const limit = most && query.limit && Math.min(most, query.limit);
      const content = { query: { ...query, ...(limit && { limit }), cursor } };
      const page = await this.call<{ data: T[]; next_cursor?: string | null }>('GET', path, content, options);
      // The lists of `/api/v1` have only the header.
      return { data: page.data, next: page.next_cursor ?? nextCursor(responses.get(page)?.headers.get('Link')) };
    });
  }

  async #send(first: Attempt, body: string | undefined, canRepeat: boolean, options: CallOptions): Promise<Answer> {
    const timeout = milliseconds('timeout', options.timeout ?? this.#timeout, 1);
    const deadline = Date.now() + milliseconds('retryFor', options.retryFor ?? this.retryFor, 0);
    // Whether an earlier attempt may have taken effect.
    let isUnknown = false;
    for (let number = 1; ; number++) {
      options.signal?.throwIfAborted();
      const attempt: Attempt = { ...first, headers: new Headers(first.headers), attempt: number };
      this.#hooks.request?.(attempt);
      const headers = new Headers(attempt.headers);
      headers.set('Authorization', `Bearer ${this.#key}`);
      const init: RequestInit = { method: first.method, headers, redirect: 'manual', ...(body !== undefined && { body }) };
      const started = Date.now();
      const outcome = await read((signal) => this.#fetch(first.url, { ...init, signal }), timeout, options.signal);
      if (outcome.response) {
        this.#hooks.response?.({ ...attempt, response: outcome.response, milliseconds: Date.now() - started });
      }
      const error = outcome instanceof TerseError ? outcome : errorOf(outcome);
      if (!error) {
        return outcome as Answer;
      }
      if (isUnknown && first.method === 'DELETE' && isGone(error)) {
        return { response: error.response!, text: '' };
      }
      const wait = waitAfter(error, number, canRepeat);
      if (wait === undefined || Date.now() + wait > deadline) {
        const key = first.headers.get('Idempotency-Key');
        throw key ? Object.assign(error, { idempotencyKey: key }) : error;
      }
      isUnknown ||= mayHaveArrived(error);
      this.#hooks.retry?.({ ...attempt, error, wait });
      await pause(wait, options.signal);
    }
  }
}

// Reads a response to its end, or says why there is none.
async function read(
  send: (signal: AbortSignal) => Promise<Response>,
  timeout: number,
  signal?: AbortSignal,
): Promise<Answer | TerseConnectionError> {
  const stop = new AbortController();
  let response: Response | undefined;
  let end!: (reason: unknown) => void;
  // A `fetch` of the caller's may ignore its signal.
  const ended = new Promise<never>((_, reject) => {
    end = (reason) => (stop.abort(reason), reject(reason));
  });
  const cancel = () => end(signal?.reason);
  const late = () => end(new TerseTimeoutError(`there was no complete response within ${timeout} ms`, response));
  const timer = setTimeout(late, timeout);
  signal?.addEventListener('abort', cancel, { once: true });
  const answer = async () => {
    response = await send(stop.signal);
    return { response, text: await response.text() };
  };
  try {
    return await Promise.race([answer(), ended]);
  } catch (cause) {
    signal?.throwIfAborted();
    return cause instanceof TerseTimeoutError ? cause : new TerseConnectionError(messageOf(cause), response, undefined, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

// Node.js says `fetch failed`, and what failed in the cause.
function messageOf(cause: unknown): string {
  const { message, cause: inner } = (cause ?? {}) as { message?: string; cause?: { message?: string; code?: string } };
  return `the connection failed: ${[message, inner?.message || inner?.code].filter(Boolean).join(': ')}`;
}

function errorOf({ response, text }: Answer): TerseError | undefined {
  if (!response.ok) {
    return toProblem(response, text);
  }
  // Only these have none.
  if (!text && [202, 204].includes(response.status)) {
    return undefined;
  }
  const isJson = /[/+]json\b/.test(response.headers.get('Content-Type') ?? '');
  try {
    JSON.parse(text);
    return isJson ? undefined : new TerseError('the response is not of Terse', response, text);
  } catch {
    // Without a length, an interrupted response looks complete.
    return isJson
      ? new TerseConnectionError('the response is incomplete', response, text)
      : new TerseError('the response is not of Terse', response, text);
  }
}

// Whether the request may have taken effect.
function mayHaveArrived(error: TerseError): boolean {
  if (error instanceof TerseProblem) {
    return error.status !== 429;
  }
  const causes = [error.cause, (error.cause as Error | undefined)?.cause].flatMap((cause) => [
    cause,
    ...((cause as AggregateError | undefined)?.errors ?? []),
  ]);
  const codes = causes.flatMap((cause) => (cause as { code?: string } | undefined)?.code ?? []);
  return !codes.length || !codes.every((code) => NOT_CONNECTED.has(code));
}

const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused']);

// The problem of the path itself, or of a proxy, does not say that the resource is gone.
function isGone(error: TerseError): boolean {
  return error instanceof TerseProblem && error.status === 404 && error.code.endsWith('-not-found');
}

const FIRST_WAIT = 250;
const MAX_WAIT = 8000;

/** Returns the wait after an attempt. Half of it is random, so that clients do not come back at the same moment. */
export function backoff(attempt: number): number {
  return Math.min(MAX_WAIT, FIRST_WAIT * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

// The milliseconds until a request can be repeated; `undefined` if it must not be. After 429 nothing was changed, so
// any request can be. After 502, 503, 504 or a lost response the request may have taken effect, so only one can be
// that has the same effect twice.
function waitAfter(error: TerseError, attempt: number, canRepeat: boolean): number | undefined {
  if (error instanceof TerseConnectionError) {
    return canRepeat || !mayHaveArrived(error) ? backoff(attempt) : undefined;
  }
  if (!(error instanceof TerseProblem)) {
    return undefined;
  }
  const isTemporary = error.status === 429 || (canRepeat && [502, 503, 504].includes(error.status));
  return isTemporary ? Math.max(backoff(attempt), error.retryAfter ?? 0) : undefined;
}

/** Waits, until the signal ends the wait with an error. */
export function pause(wait: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, wait);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

// A timer takes no more, and fires at once instead.
const MAX_TIME = 2 ** 31 - 1;

/** Returns a time, if it is one. */
export function milliseconds(name: string, value: number, least: number): number {
  if (!Number.isInteger(value) || value < least || value > MAX_TIME) {
    throw new RangeError(`${name} must be whole milliseconds from ${least} to ${MAX_TIME}`);
  }
  return value;
}

// On a page in a browser, the address may be relative.
function canFetch(address: string): boolean {
  const page = globalThis.location?.href;
  if (!URL.canParse(address, page)) {
    return false;
  }
  const { protocol, username, password } = new URL(address, page);
  return /^https?:$/.test(protocol) && !username && !password && !/[?#]/.test(address);
}

// A browser names itself, and its programs must not.
const userAgent = ((): string | undefined => {
  const versions = (globalThis as { process?: { versions?: Record<string, string> } }).process?.versions;
  const runtime = ['bun', 'deno', 'node'].find((name) => versions?.[name]);
  return runtime && `terse-client/${packageVersion} (${runtime} ${versions![runtime]}; document ${documentVersion})`;
})();

/** Returns a new idempotency key. `crypto.randomUUID` exists only on pages that came over TLS or from the same machine. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function tagOf(version: { etag: string } | string): string {
  const tag = typeof version === 'string' ? version : version.etag;
  if (!tag) {
    throw new TypeError('ifMatch is neither an etag nor an object with one');
  }
  // A proxy that compresses responses makes the tag weak or adds a suffix; the server compares strong ones.
  return tag.replace(/^W\//, '').replace(/[-;](gzip|br|zstd|deflate)"$/, '"');
}

// JSON has neither NaN nor an invalid date, and `null` would clear a property.
function toJson(body: object): string {
  return JSON.stringify(body, function (this: Record<string, unknown>, name, value: unknown) {
    if ((value === null && this[name] !== null) || (typeof value === 'number' && !Number.isFinite(value))) {
      throw new TypeError(`${name} is not a valid value`);
    }
    return value;
  });
}

function queryString(query: object = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one: unknown) => [name, one] as const));
  const pairs = given
    .filter(([, one]) => one !== undefined && one !== null)
    .map(([name, one]) => [name, one instanceof Date ? one.toISOString() : String(one)]);
  return pairs.length ? `?${new URLSearchParams(pairs)}` : '';
}

// Only the cursor of the next page's URL is used, so that the key goes to no other address.
function nextCursor(link: string | null | undefined): string | null {
  const url = link?.match(/<([^>]*)>\s*;\s*rel="?next"?/)?.[1];
  return url === undefined ? null : new URL(url, 'http://localhost').searchParams.get('cursor');
}
