import { ProblemError } from './problem.js';

const FIRST_WAIT = 250;
const MAX_WAIT = 8000;

/**
 * Returns the milliseconds until a request can be repeated; `undefined` if it must not be.
 *
 * After 429 nothing was changed, so any request can be. After 502, 503, 504 or a lost response the request may have
 * taken effect, so only one can be that has the same effect twice.
 */
export function waitAfter(failure: unknown, attempt: number, canRepeat: boolean): number | undefined {
  // Half of the wait is random, so that clients do not come back at the same moment.
  const backoff = Math.min(MAX_WAIT, FIRST_WAIT * 2 ** attempt) * (0.5 + Math.random() / 2);
  if (!(failure instanceof ProblemError)) {
    return canRepeat ? backoff : undefined;
  }
  const isTemporary = failure.status === 429 || (canRepeat && [502, 503, 504].includes(failure.status));
  return isTemporary ? Math.max(backoff, 1000 * (failure.retryAfter ?? 0)) : undefined;
}

/** Waits, until the signal ends the wait with an error. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
