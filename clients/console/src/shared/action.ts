// What a request came to: the data that a screen shows, or the outcome of something that the visitor did.

import { useEffect, useRef, useState } from 'preact/hooks';
import { isProblem } from './problems';
import { texts } from './texts';

/** Why something did not happen, for people. */
export interface Failure {
  /** What concerns no single field; empty if every error has a field. */
  text: string;
  /** Errors by the name of their field. */
  fields: Record<string, string>;
  error: unknown;
}

/** Fields that problems without a pointer are about. */
const fieldsOfCodes: Record<string, string> = {
  'code-in-use': 'custom_code',
  'code-reserved': 'custom_code',
  'custom-codes-not-allowed': 'custom_code',
  'external-id-in-use': 'external_id',
  'expiry-passed': 'expires_at',
  'expiry-after-key': 'expires_at',
  'destination-blocked': 'destination_url',
  'qr-colours-too-close': 'qr_foreground',
};

/** What the console itself finds wrong with a field, for people. */
export class FieldError extends Error {
  constructor(readonly field: string, message: string) {
    super(message);
  }
}

/** Returns whether the server rejected the key. */
export const isUnauthorized = (failure: Failure | undefined): boolean => isProblem(failure?.error) && failure.error.status === 401;

/** Describes an error. Errors at one of these fields, in which the visitor typed something, belong to it. */
export function describe(error: unknown, names: readonly string[] = []): Failure {
  const isTyped = names.length > 0;
  if (error instanceof FieldError) return { text: '', fields: { [error.field]: error.message }, error };
  if (!isProblem(error)) {
    const isAborted = error instanceof DOMException && error.name === 'AbortError';
    return { text: isAborted ? '' : (navigator.onLine ? texts.unreachable : texts.offline)(isTyped), fields: {}, error };
  }
  if (error.status === 401) return { text: texts.signedOut, fields: {}, error };
  if (error.status === 429) return { text: texts.tooMany(error.retryAfter), fields: {}, error };
  if ([502, 503, 504].includes(error.status)) return { text: texts.unavailable(isTyped), fields: {}, error };
  const others: string[] = [];
  const fields: Record<string, string> = {};
  for (const { pointer, parameter, detail } of error.errors) {
    const name = (pointer ?? parameter ?? '').replace(/^\//, '');
    if (names.includes(name)) fields[name] ??= detail;
    else others.push(`${name}: ${detail}`);
  }
  const named = fieldsOfCodes[error.code];
  if (error.errors.length === 0 && named && names.includes(named)) {
    fields[named] = error.detail;
  } else if (error.errors.length === 0) {
    others.push(error.status >= 500 ? texts.internal(error.detail, error.requestId) : error.detail);
  }
  return { text: others.join('\n'), fields, error };
}

/** Something that the visitor does. While it runs, doing it again has no effect. */
export interface Action {
  isBusy: boolean;
  failure: Failure | undefined;
  /** Runs it, and returns whether it succeeded. */
  run(work: () => Promise<void>): Promise<boolean>;
  clear(): void;
}

/** Returns an action whose errors may be at these fields. */
export function useAction(names: readonly string[] = []): Action {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const isRunning = useRef(false);
  useAfterSignIn(failure, () => setFailure(undefined));
  return {
    isBusy,
    failure,
    clear: () => setFailure(undefined),
    async run(work) {
      if (isRunning.current) return false;
      isRunning.current = true;
      setBusy(true);
      setFailure(undefined);
      try {
        await work();
        return true;
      } catch (error) {
        setFailure(describe(error, names));
        return false;
      } finally {
        isRunning.current = false;
        setBusy(false);
      }
    },
  };
}

/** Returns a key for each request, the same one as long as the request is. */
export function useIdempotency(): { keyOf(body: unknown): string; renew(): void } {
  const keys = useRef(new Map<string, string>()).current;
  return {
    keyOf(body) {
      const text = JSON.stringify(body);
      const key = keys.get(text) ?? newKey();
      keys.set(text, key);
      return key;
    },
    renew: () => keys.clear(),
  };
}

/** Returns a value for `Idempotency-Key`, on pages without TLS too. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const rejected = new Set<() => void>();

/** Repeats or clears what the server rejected with an earlier key. */
export const afterSignIn = (): void => rejected.forEach((repeat) => repeat());

function useAfterSignIn(failure: Failure | undefined, repeat: () => void): void {
  useEffect(() => {
    if (!isUnauthorized(failure)) return;
    rejected.add(repeat);
    return () => void rejected.delete(repeat);
  }, [failure]);
}

/** What a screen shows, once it has arrived. */
export interface Loaded<T> {
  data: T | undefined;
  failure: Failure | undefined;
  isLoading: boolean;
  reload(): void;
  set(data: T): void;
}

/** Loads what a screen shows, again when one of `inputs` changes. What was there stays until then. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ data?: T; failure?: Failure; isLoading: boolean }>({ isLoading: true });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setState(({ data }) => ({ ...(data !== undefined && { data }), isLoading: true }));
    load(stop.signal).then(
      (data) => stop.signal.aborted || setState({ data, isLoading: false }),
      (error) => stop.signal.aborted || setState({ failure: describe(error), isLoading: false }),
    );
    return () => stop.abort();
  }, [...inputs, attempt]);
  const reload = () => setAttempt((number) => number + 1);
  useAfterSignIn(state.failure, reload);
  return {
    data: state.data,
    failure: state.failure,
    isLoading: state.isLoading,
    reload,
    set: (data) => setState({ data, isLoading: false }),
  };
}

/** A list that is read page by page. */
export interface Listed<T> {
  items: T[];
  hasMore: boolean;
  isLoading: boolean;
  failure: Failure | undefined;
  more(): void;
  reload(): void;
  change(change: (items: T[]) => T[]): void;
}

/** Reads a list as far as it is shown, from its beginning when one of `inputs` changes. */
export function useList<T>(
  list: (signal: AbortSignal) => AsyncIterator<{ data: T[]; next: string | null }>,
  inputs: readonly unknown[],
): Listed<T> {
  const empty = { items: [] as T[], hasMore: false, isLoading: true, failure: undefined as Failure | undefined };
  const [state, setState] = useState(empty);
  const [attempt, setAttempt] = useState(0);
  const reading = useRef<{ pages: AsyncIterator<{ data: T[]; next: string | null }>; signal: AbortSignal }>();
  // A page under filters may be short or empty although others follow.
  async function more(isFirst: boolean) {
    const { pages, signal } = reading.current as NonNullable<typeof reading.current>;
    let missing = 25;
    setState((old) => ({ ...old, isLoading: true, failure: undefined }));
    try {
      for (let replaces = isFirst; ; replaces = false) {
        const { value, done } = await pages.next();
        if (signal.aborted) return;
        const hasMore = !done && value.next !== null;
        const found: T[] = done ? [] : value.data;
        missing -= found.length;
        const isLoading = hasMore && missing > 0;
        setState((old) => ({ ...old, items: replaces ? found : [...old.items, ...found], hasMore, isLoading }));
        if (!isLoading) return;
      }
    } catch (error) {
      if (!signal.aborted) setState((old) => ({ ...old, isLoading: false, failure: describe(error) }));
    }
  }
  useEffect(() => {
    const stop = new AbortController();
    reading.current = { pages: list(stop.signal), signal: stop.signal };
    void more(true);
    return () => stop.abort();
  }, [...inputs, attempt]);
  const reload = () => setAttempt((number) => number + 1);
  useAfterSignIn(state.failure, reload);
  return {
    ...state,
    more: () => void more(false),
    reload,
    change: (change) => setState((old) => ({ ...old, items: change(old.items) })),
  };
}
