import type { ProblemCode } from './codes.js';
import type { FieldError, Problem } from './types/api.js';

/** An error that the server reported (RFC 9457). */
export class ProblemError<Code extends ProblemCode = ProblemCode> extends Error {
  override readonly name = 'ProblemError';

  private constructor(
    /** The status of the response. */
    readonly status: number,
    /** Identifies the kind of problem; empty if the response is not Terse's own, but a proxy's. */
    readonly code: Code,
    /** What happened, for people. */
    readonly detail: string,
    /** Identifies the request in the server's log. */
    readonly requestId: string,
    /** The fields that are not valid. */
    readonly errors: readonly FieldError[],
    /** After how many seconds the request can be repeated. */
    readonly retryAfter: number | undefined,
  ) {
    super(`${status} ${code}: ${detail}`);
  }

  /** Returns the error that a response reports. */
  static from(status: number, headers: Headers, text: string): ProblemError {
    const problem = headers.get('Content-Type')?.startsWith('application/problem+json') ? parse(text) : {};
    return new ProblemError(
      status,
      problem.code ?? '',
      problem.detail ?? 'the response is no problem of Terse',
      problem.request_id ?? headers.get('X-Request-Id') ?? '',
      problem.errors ?? [],
      seconds(headers.get('Retry-After')),
    );
  }
}

/** Returns whether an error is a problem, and if codes are given, one of these. */
export function isProblem<Code extends ProblemCode>(error: unknown, ...codes: Code[]): error is ProblemError<Code> {
  return error instanceof ProblemError && (codes.length === 0 || codes.some((code) => code === error.code));
}

function parse(text: string): Partial<Problem> {
  try {
    return JSON.parse(text) as Partial<Problem>;
  } catch {
    return {};
  }
}

// A proxy may send a date instead of seconds.
function seconds(value: string | null): number | undefined {
  if (value === null) {
    return undefined;
  }
  const given = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(given) ? undefined : Math.max(0, given);
}
