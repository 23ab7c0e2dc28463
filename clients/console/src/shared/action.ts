// What a request came to: the data that a screen shows, or the outcome of something that the visitor did.

import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isProblem } from './problems';
import { texts } from './texts';

/** Why something did not happen, for people. */
export interface Failure {
  /** What is about no single field. */
  text: string;
  /** What is about single fields. */
  errors: FieldError[];
  error?: unknown;
}

/** What is wrong with a field. */
interface FieldError {
  /** The name of the field in the interface. */
  member: string;
  detail: string;
  /** The same, where there is no such field. */
  text: string;
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
export class InputError extends Error {
  constructor(readonly member: string, message: string) {
    super(message);
  }
}

/** Returns whether the server rejected the key. */
export const isUnauthorized = (failure: Failure | undefined): boolean => isProblem(failure?.error) && failure.error.status === 401;

/** Describes an error. With `isTyped`, it says that what the visitor typed is not lost. */
export function describe(error: unknown, isTyped = false): Failure {
  if (error instanceof InputError) return { text: '', errors: [{ member: error.member, detail: error.message, text: error.message }], error };
  if (!isProblem(error)) {
    const isAborted = error instanceof DOMException && error.name === 'AbortError';
    return { text: isAborted ? '' : (navigator.onLine ? texts.unreachable : texts.offline)(isTyped), errors: [], error };
  }
  const { status, code, detail } = error;
  if (status === 401) return { text: texts.signedOut, errors: [], error };
  if (status === 429) return { text: texts.tooMany(error.retryAfter), errors: [], error };
  if ([502, 503, 504].includes(status)) return { text: texts.unavailable(isTyped), errors: [], error };
  const errors = error.errors.map(({ pointer, parameter, detail }): FieldError => {
    const path = (pointer ?? parameter ?? '').replace(/^\//, '');
    // Where a field stands in a body, and which of several values is wrong, is no matter.
    const member = path.replace(/(\/\d+)+$/, '').split('/').at(-1) ?? '';
    return { member, detail, text: `${path}: ${detail}` };
  });
  const member = fieldsOfCodes[code];
  if (errors.length === 0 && member) errors.push({ member, detail, text: detail });
  return { text: errors.length ? '' : status >= 500 ? texts.internal(detail, error.requestId) : detail, errors, error };
}

/** Returns what a failure says beside the fields that show what is about them. */
export const textOf = ({ text, errors }: Failure, shown: ReadonlySet<string> = new Set()): string =>
  [text, ...errors.filter(({ member }) => !shown.has(member)).map((one) => one.text)].filter(Boolean).join('\n');

/** Something that the visitor does. While it runs, doing it again has no effect. */
export interface Action {
  isBusy: boolean;
  failure: Failure | undefined;
  /** The form that asks for it. */
  form: RefObject<HTMLFormElement>;
  /** Runs it unless a value in its form is incomplete, and returns whether it succeeded. */
  run(work: () => Promise<void>): Promise<boolean>;
  clear(): void;
}

/** Browsers pass half a date or number off as an empty value. */
const isIncomplete = (one: Element): one is HTMLInputElement => one instanceof HTMLInputElement && one.validity.badInput;

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const isRunning = useRef(false);
  const form = useRef<HTMLFormElement>(null);
  useAfterSignIn(failure, () => setFailure(undefined));
  return {
    isBusy,
    failure,
    form,
    clear: () => setFailure(undefined),
    async run(work) {
      if (isRunning.current) return false;
      const incomplete = [...(form.current?.elements ?? [])].filter(isIncomplete);
      if (incomplete.length) {
        setFailure({ text: '', errors: incomplete.map(({ name, type }) => ({ member: name, detail: texts.incomplete(type), text: '' })) });
        return false;
      }
      isRunning.current = true;
      setBusy(true);
      setFailure(undefined);
      try {
        await work();
        return true;
      } catch (error) {
        setFailure(describe(error, form.current !== null));
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

/** Loads what a screen shows, again when one of `inputs` changes. What was there stays until then; if the same inputs fail later, it stays too. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ data?: T; failure?: Failure; isLoading: boolean; key?: string }>({ isLoading: true });
  const [attempt, setAttempt] = useState(0);
  // Says to which inputs the data belongs.
  const key = JSON.stringify(inputs);
  useEffect(() => {
    const stop = new AbortController();
    setState(({ failure: _, ...old }) => ({ ...old, isLoading: true }));
    load(stop.signal).then(
      (data) => stop.signal.aborted || setState({ data, key, isLoading: false }),
      (error) => stop.signal.aborted || setState((old) => ({ ...(old.key === key && old), failure: describe(error), isLoading: false })),
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
    set: (data) => setState({ data, key, isLoading: false }),
  };
}

/** A list of the interface. */
export interface Paged<T> {
  page(cursor?: string): Promise<{ data: T[]; next: string | null }>;
}

/** A list that is read page by page. */
export interface Listed<T> {
  items: T[];
  hasMore: boolean;
  isLoading: boolean;
  failure: Failure | undefined;
  /** Reads on from where the last page ended, also after it has failed. */
  more(): void;
  reload(): void;
  change(change: (items: T[]) => T[]): void;
}

/** Reads a list as far as it is shown, from its beginning when one of `inputs` changes. */
export function useList<T>(list: (signal: AbortSignal) => Paged<T>, inputs: readonly unknown[]): Listed<T> {
  const empty = { items: [] as T[], hasMore: false, isLoading: true, failure: undefined as Failure | undefined };
  const [state, setState] = useState(empty);
  const [attempt, setAttempt] = useState(0);
  const reading = useRef<{ signal: AbortSignal; cursor?: string }>();
  // After the visitor has signed in again, what is read on needs the new key.
  const newest = useRef(list);
  // A page under filters may be short or empty although others follow.
  async function more() {
    const now = reading.current as NonNullable<typeof reading.current>;
    const { signal } = now;
    const pages = newest.current(signal);
    let missing = 25;
    setState((old) => ({ ...old, isLoading: true, failure: undefined }));
    try {
      for (;;) {
        const replaces = now.cursor === undefined;
        const { data, next } = await pages.page(now.cursor);
        if (signal.aborted) return;
        if (next !== null) now.cursor = next;
        missing -= data.length;
        const isLoading = next !== null && missing > 0;
        setState((old) => ({ ...old, items: replaces ? data : [...old.items, ...data], hasMore: next !== null, isLoading }));
        if (!isLoading) return;
      }
    } catch (error) {
      if (!signal.aborted) setState((old) => ({ ...old, isLoading: false, failure: describe(error) }));
    }
  }
  useEffect(() => {
    newest.current = list;
  });
  useEffect(() => {
    const stop = new AbortController();
    reading.current = { signal: stop.signal };
    void more();
    return () => stop.abort();
  }, [...inputs, attempt]);
  const reload = () => setAttempt((number) => number + 1);
  useAfterSignIn(state.failure, reload);
  return {
    ...state,
    more: () => void more(),
    reload,
    change: (change) => setState((old) => ({ ...old, items: change(old.items) })),
  };
}
