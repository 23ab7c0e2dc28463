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
  /**
   * After how many milliseconds without a complete response an attempt has failed; 30,000 by default. The `fetch` of
   * Node.js itself waits for no more than 300,000 for the headers of a response, and between two parts of its body.
   */
  timeout?: number;
  /** For how many milliseconds the client repeats a request that failed for the moment; 120,000 by default, 0 never repeats. */
  retryFor?: number;
  /** Sends the requests; the global `fetch` by default. */
  fetch?: typeof fetch;
  /** Functions that are called for each attempt. */
  hooks?: Hooks;
  /** Gets a line for each attempt (`debug`) and each repeat (`info`), such as `console`; by default, nothing is logged. */
  logger?: Logger;
}

/** Where a client writes its lines. They name neither the key nor headers. The client awaits what it returns. */
export interface Logger {
  debug(line: string): unknown;
  info(line: string): unknown;
}

/**
 * Functions that are called for each attempt to send a request. They never see the key, nor cookies and passwords for
 * proxies. The client awaits what they return.
 */
export interface Hooks {
  /** Before an attempt. It may set headers, such as `traceparent`. */
  request?: (attempt: Attempt) => unknown;
  /** After a response, whatever its status. */
  response?: (attempt: Attempt & { response: Response; milliseconds: number }) => unknown;
  /** Before the wait for another attempt. */
  retry?: (attempt: Attempt & { error: TerseError; wait: number }) => unknown;
}

/** An attempt to send a request. */
export interface Attempt {
  readonly method: string;
  readonly url: string;
  /** The headers of the request, but for `Authorization`, `Cookie` and `Proxy-Authorization`. */
  readonly headers: Headers;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

// `HeadersInit` exists only in the types of browsers.
/** Headers as an object, as pairs or as `Headers`. */
export type CallHeaders = Record<string, string> | Iterable<readonly [string, string]> | Headers;

/** Options of every call. */
export interface CallOptions {
  /** As for the client. */
  timeout?: number;
  /** As for the client. */
  retryFor?: number;
  /**
   * Headers to send beside those of the client, or instead of its `Accept` and `User-Agent`. Those that are options, and
   * those of the connection such as `Host` and `Content-Length`, are refused.
   */
  headers?: CallHeaders;
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
  /** Whether the response is a list. */
  isList?: boolean;
  /** The problem of what does not exist, for a deletion. Only deletions have no response. */
  missing?: string;
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
  // A URL loses these when it is parsed, and the request would be another one. `undefined` may be the name of a link.
  if (!/string|number/.test(typeof value) || /^\.{0,2}$/.test(`${value}`)) {
    throw new TypeError(`'${value}' cannot be part of an address`);
  }
  return encodeURIComponent(value);
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
  readonly #retryFor: number;
  readonly #fetch: typeof fetch;
  readonly #hooks: Hooks;
  readonly #logger: Logger | undefined;

  constructor(options: ClientOptions) {
    // `fetch` rejects these like a lost connection, and the client would repeat the request.
    this.#baseUrl = addressOf(options.baseUrl);
    this.#key = String(options.key ?? '').trim();
    if (!/^[!-~]+$/.test(this.#key)) {
      throw new TypeError('key must be visible ASCII characters, and not empty');
    }
    this.#timeout = milliseconds('timeout', options.timeout ?? 30_000, 1);
    this.#retryFor = milliseconds('retryFor', options.retryFor ?? 120_000, 0);
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#hooks = options.hooks ?? {};
    this.#logger = options.logger;
  }

  /** Returns the settings of a call, if a call can have them. */
  settings(options: CallOptions): { headers: Headers; timeout: number; retryFor: number } {
    const headers = new Headers(options.headers as HeadersInit);
    for (const [name, option] of OPTIONS) {
      if (headers.has(name)) {
        throw new TypeError(`use the option ${option} instead of the header ${name}`);
      }
    }
    for (const [name] of headers) {
      if (OF_CONNECTION.test(name)) throw new TypeError(`the client sets the header ${name} itself`);
    }
    return {
      headers,
      timeout: milliseconds('timeout', options.timeout ?? this.#timeout, 1),
      retryFor: milliseconds('retryFor', options.retryFor ?? this.#retryFor, 0),
    };
  }

  /** Sends a request, and returns the body of its response. */
  async call<T>(method: string, path: Path, content: Content, options: CreateOptions & ChangeOptions): Promise<T> {
    const { headers, timeout, retryFor } = this.settings(options);
    let body: string | undefined;
    if (content.body !== undefined) {
      headers.set('Content-Type', 'application/json');
      body = toJson(content.body);
    }
    if (content.isIdempotent) {
      headers.set('Idempotency-Key', options.idempotencyKey ?? newKey());
      if (!headers.get('Idempotency-Key')) throw new TypeError('idempotencyKey must not be empty');
    }
    if (options.ifMatch !== undefined) {
      headers.set('If-Match', tagOf(options.ifMatch));
    }
    for (const [name, value] of [['Accept', 'application/json'], ['User-Agent', userAgent]] as const) {
      if (value && !headers.has(name)) headers.set(name, value);
    }
    const url = this.#baseUrl + (typeof path === 'string' ? path : path()) + queryString(content.query);
    return this.#send({ method, url, headers, attempt: 1 }, body, content, timeout, retryFor, options.signal) as Promise<T>;
  }

  /** Returns a list, whose pages are requested as they are read. */
  list<T>(path: Path, query: { limit?: number }, options: CallOptions): Pages<T> {
    return new Pages(async (cursor, most) => {
      const limit = most && query.limit && Math.min(most, query.limit);
      const content = { query: { ...query, ...(limit && { limit }), cursor }, isList: true };
      const page = await this.call<{ data: T[]; next_cursor?: string | null }>('GET', path, content, options);
      // The lists of `/api/v1` have only the header.
      return { data: page.data, next: page.next_cursor ?? nextCursor(responses.get(page)?.headers.get('Link')) };
    });
  }

  async #send(
    first: Attempt,
    body: string | undefined,
    content: Content,
    timeout: number,
    retryFor: number,
    signal?: AbortSignal,
  ): Promise<object | undefined> {
    const canRepeat = first.method !== 'POST' || content.isIdempotent === true || content.isRepeatable === true;
    const deadline = Date.now() + retryFor;
    const secrets = [...first.headers].filter(([name]) => SECRETS.has(name));
    // Whether an earlier attempt may have taken effect.
    let isUnknown = false;
    for (let number = 1; ; number++) {
      signal?.throwIfAborted();
      const attempt: Attempt = { ...first, headers: new Headers(first.headers), attempt: number };
      secrets.forEach(([name]) => attempt.headers.delete(name));
      await this.#hooks.request?.(attempt);
      signal?.throwIfAborted();
      const headers = new Headers(attempt.headers);
      [...secrets, ['Authorization', `Bearer ${this.#key}`] as const].forEach(([name, value]) => headers.set(name, value));
      const init: RequestInit = { method: first.method, headers, redirect: 'manual', ...(body !== undefined && { body }) };
      const started = Date.now();
      const answer = await read((stop) => this.#fetch(first.url, { ...init, signal: stop }), timeout, number, signal);
      await this.#logger?.debug(`${first.method} ${first.url}: ${answer.response?.status ?? answer}`);
      if (answer.response) {
        await this.#hooks.response?.({ ...attempt, response: answer.response, milliseconds: Date.now() - started });
      }
      const value = answer instanceof TerseError ? answer : valueOf(answer as Answer, content);
      if (!(value instanceof TerseError)) {
        if (value) responses.set(value, answer.response!);
        return value;
      }
      // The problem of the path itself, or of a proxy, does not say that the resource is gone.
      if (isUnknown && content.missing && value instanceof TerseProblem && value.code === content.missing) {
        return undefined;
      }
      const wait = waitAfter(value, number, canRepeat);
      if (wait === undefined || Date.now() + wait > deadline) {
        const key = first.headers.get('Idempotency-Key');
        throw key ? Object.assign(value, { idempotencyKey: key }) : value;
      }
      isUnknown ||= mayHaveArrived(value);
      await this.#hooks.retry?.({ ...attempt, error: value, wait });
      await this.#logger?.info(`${first.method} ${first.url} is repeated in ${Math.round(wait)} ms: ${value}`);
      await pause(wait, signal);
    }
  }
}

// The options that stand for headers.
const OPTIONS = Object.entries({
  authorization: 'key of the client',
  'x-api-key': 'key of the client',
  'idempotency-key': 'idempotencyKey',
  'if-match': 'ifMatch',
});
// A request with other values of these does not arrive.
const OF_CONNECTION = /^(connection|content-length|expect|host|keep-alive|transfer-encoding|upgrade)$/;
// What hooks must not see.
const SECRETS = new Set(['cookie', 'proxy-authorization']);

// One listener for each signal, as Node.js warns of more than ten. `AbortSignal.any` retains something for each call.
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

// Calls a function when the signal is aborted, until the returned one is called.
function onAbort(signal: AbortSignal | undefined, stop: () => void): () => void {
  if (!signal) {
    return () => {};
  }
  const all = waiting.get(signal) ?? new Set();
  if (!waiting.has(signal)) {
    waiting.set(signal, all);
    signal.addEventListener('abort', () => all.forEach((one) => one()), { once: true });
  }
  all.add(stop);
  return () => all.delete(stop);
}

// Reads a response to its end, or says why there is none.
async function read(
  send: (signal: AbortSignal) => Promise<Response>,
  timeout: number,
  number: number,
  signal?: AbortSignal,
): Promise<Answer | TerseConnectionError> {
  const stop = new AbortController();
  let response: Response | undefined;
  let end!: (reason: unknown) => void;
  // A `fetch` of the caller's may ignore its signal.
  const ended = new Promise<never>((_, reject) => {
    end = (reason) => (stop.abort(reason), reject(reason));
  });
  const repeated = number > 1 ? ` (attempt ${number})` : '';
  const late = () => end(new TerseTimeoutError(`there was no complete response within ${timeout} ms${repeated}`, response));
  const timer = setTimeout(late, timeout);
  const ignore = onAbort(signal, () => end(signal?.reason));
  const answer = async () => {
    response = await send(stop.signal);
    return { response, text: await response.text() };
  };
  try {
    return await Promise.race([answer(), ended]);
  } catch (cause) {
    signal?.throwIfAborted();
    return cause instanceof TerseTimeoutError ? cause : new TerseConnectionError(messageOf(cause) + repeated, response, undefined, { cause });
  } finally {
    clearTimeout(timer);
    ignore();
  }
}

// Node.js says `fetch failed`, and what failed in the cause.
function messageOf(cause: unknown): string {
  const { message, cause: inner } = (cause ?? {}) as { message?: string; cause?: { message?: string; code?: string } };
  return `the connection failed: ${[message, inner?.message || inner?.code].filter(Boolean).join(': ')}`;
}

// Returns what the server says, or an error if that is none of what the operation returns.
function valueOf({ response, text }: Answer, { missing, isList }: Content): object | undefined | TerseError {
  const { headers, ok, status } = response;
  if (!ok) {
    return toProblem(response, text);
  }
  if (missing && !text) {
    const event_id = Number(headers.get('Event-Id'));
    if (status === 204) return undefined;
    if (status === 202 && event_id) return { event_id } satisfies Running;
  }
  if (/[/+]json\b/.test(headers.get('Content-Type') ?? '') && status !== 204) {
    try {
      const value = JSON.parse(text) as { data?: unknown } | null;
      if (isList ? Array.isArray(value?.data) : value === Object(value) && !Array.isArray(value)) return value!;
    } catch {
      // Without a length, an interrupted response looks complete.
      return new TerseConnectionError('the response is incomplete', response, text);
    }
  }
  return new TerseError(`the response is not of Terse: ${status} ${text.slice(0, 80) || 'without a body'}`, response, text);
}

type Cause = { code?: string; message?: string } | undefined;

// What a connection failed of.
function causesOf({ cause }: TerseError): Cause[] {
  return [cause, (cause as Error | undefined)?.cause].flatMap((one) => [one as Cause, ...((one as AggregateError | undefined)?.errors ?? [])]);
}

// Whether the request may have taken effect.
function mayHaveArrived(error: TerseError): boolean {
  if (error instanceof TerseProblem) {
    return error.status !== 429;
  }
  const codes = causesOf(error).flatMap((cause) => cause?.code ?? []);
  return !codes.length || !codes.every((code) => NOT_CONNECTED.has(code));
}

const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT', 'ConnectionRefused']);

// No repeat changes a certificate, a port without TLS, or what a proxy permits.
const PERMANENT = /CERT|VERIFY_LEAF|WRONG_VERSION|certificate|\(407\)/;

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
    if (causesOf(error).some((cause) => PERMANENT.test(`${cause?.code} ${cause?.message}`))) return undefined;
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
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      ignore();
      resolve();
    }, wait);
    const ignore = onAbort(signal, () => {
      clearTimeout(timer);
      ignore();
      reject(signal?.reason);
    });
  });
}

// A timer takes no more, and fires at once instead.
const MAX_TIME = 2 ** 31 - 1;

// Returns a time, if it is one.
function milliseconds(name: string, value: number, least: number): number {
  if (!Number.isInteger(value) || value < least || value > MAX_TIME) {
    throw new RangeError(`${name} must be whole milliseconds from ${least} to ${MAX_TIME}`);
  }
  return value;
}

// On a page in a browser, the address may be relative.
function addressOf(baseUrl: string): string {
  const page = globalThis.location?.href;
  const address = typeof baseUrl === 'string' ? baseUrl.trim() || '/' : '';
  if (address && URL.canParse(address, page)) {
    const { href, protocol, username, password } = new URL(address, page);
    if (/^https?:$/.test(protocol) && !username && !password && !/[?#]/.test(href)) {
      return href.replace(/\/+$/, '');
    }
  }
  throw new TypeError('baseUrl must begin with http:// or https:// and a host, without a user, a query or a fragment');
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
  return tag.replace(/(?:W\/)?("[^"]*?)(?:[-;]+(?:gzip|br|zstd|deflate))?"/g, '$1"');
}

/** Returns JSON. It has neither NaN nor an invalid date, and `null` would clear a property. */
export function toJson(body: object): string {
  return JSON.stringify(body, function (this: Record<string, unknown>, name, value: unknown) {
    if ((value === null && this[name] !== null) || (typeof value === 'number' && !Number.isFinite(value))) {
      throw new TypeError(`${name} is not a valid value`);
    }
    return value;
  });
}

function queryString(query: object = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => {
    // It would select everything.
    if (Array.isArray(value) && !value.length) throw new TypeError(`${name} must have at least one value`);
    return [value].flat().map((one: unknown) => [name, one] as const);
  });
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
