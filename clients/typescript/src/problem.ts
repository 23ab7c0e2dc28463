import { problemCodes } from './codes.js';
import type { FieldError, Problem } from './types/api.js';

/** The codes of the problems that the documents name. Servers may add others. */
export type ProblemCode = (typeof problemCodes)[number];

/** An error of a call. */
export class TerseError extends Error {
  /** The key under which the request can be repeated safely, if it had one. */
  readonly idempotencyKey?: string;

  constructor(
    message: string,
    /** The response, if there was one. */
    readonly response?: Response,
    /** The body of the response, if it has arrived. */
    readonly body?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'TerseError';
  }
}

/** The connection failed before there was a complete response. */
export class TerseConnectionError extends TerseError {
  override name = 'TerseConnectionError';
}

/** There was no complete response in time. */
export class TerseTimeoutError extends TerseConnectionError {
  override name = 'TerseTimeoutError';
}

/** An error that the server reported (RFC 9457). */
export class TerseProblem<Code extends ProblemCode | '' = ProblemCode | ''> extends TerseError {
  /** The status of the response. */
  readonly status: number;
  /** Identifies the kind of problem; empty if the response is not Terse's own, but a proxy's. */
  readonly code: Code;
  /** What happened, for people. */
  readonly detail: string;
  /** Identifies the request in the server's log. */
  readonly requestId: string;
  /** The fields that are not valid. */
  readonly errors: readonly FieldError[];
  /** After how many milliseconds the request can be repeated. */
  readonly retryAfter: number | undefined;
  /** The whole problem as the server sent it; empty if the response is not Terse's own. */
  readonly problem: Partial<Problem> & { readonly [member: string]: unknown };

  constructor(problem: TerseProblem['problem'], response: Response, body?: string, status = response.status) {
    const isRedirect = response.type === 'opaqueredirect' || Math.floor(status / 100) === 3;
    const other = isRedirect ? 'a redirect, which is not followed' : 'the response is not of Terse';
    const detail = textOf(problem.detail) ?? other;
    const code = codeOf(problem);
    super([status, code].filter(Boolean).join(' ') + `: ${detail}`, response, body);
    this.name = 'TerseProblem';
    this.status = status;
    this.code = code as Code;
    this.detail = detail;
    this.requestId = textOf(problem.request_id) ?? response.headers.get('X-Request-Id') ?? '';
    this.errors = Array.isArray(problem.errors) ? problem.errors : [];
    this.retryAfter = parseRetryAfter(response.headers.get('Retry-After'));
    this.problem = problem;
  }
}

type ClassName<Code extends string> = Code extends `${infer Head}-${infer Tail}`
  ? `${Capitalize<Head>}${ClassName<Tail>}`
  : Capitalize<Code>;
type ProblemClass<Code extends ProblemCode | ''> = { new (...of: ConstructorParameters<typeof TerseProblem>): TerseProblem<Code> };

/** A class for each code, such as `problems.LinkNotFound` for `link-not-found`. */
export const problems = Object.fromEntries(
  problemCodes.map((code) => {
    const name = classOf(code);
    const Class = class extends TerseProblem {
      override name = name;
    };
    return [name, Class];
  }),
) as { readonly [Code in ProblemCode as ClassName<Code>]: ProblemClass<Code> };

/** Returns whether an error is a problem, and if codes are given, one of these. */
export function isProblem<Code extends ProblemCode = ProblemCode>(error: unknown, ...codes: Code[]): error is TerseProblem<Code> {
  return error instanceof TerseProblem && (codes.length === 0 || codes.some((code) => code === error.code));
}

/** Returns the error that a response reports. */
export function toProblem(response: Response, body: string): TerseProblem {
  const problem = response.headers.get('Content-Type')?.startsWith('application/problem+json') ? parse(body) : {};
  return new (classFor(problem))(problem, response, body);
}

/** Returns the error of one item in a response. */
export function problemOf(given: object, response: Response): TerseProblem {
  const problem = given as TerseProblem['problem'];
  return new (classFor(problem))(problem, response, undefined, problem.status);
}

function classFor(problem: { code?: unknown }): ProblemClass<ProblemCode | ''> {
  return (problems as Record<string, ProblemClass<ProblemCode | ''> | undefined>)[classOf(codeOf(problem))] ?? TerseProblem;
}

function codeOf({ code }: { code?: unknown }): string {
  return textOf(code) ?? '';
}

// What is in a problem of a proxy may be anything.
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function classOf(code: string): string {
  return code.replace(/(?:^|-)(\w)/g, (_, first: string) => first.toUpperCase());
}

function parse(text: string): TerseProblem['problem'] {
  try {
    return Object(JSON.parse(text)) as TerseProblem['problem'];
  } catch {
    return {};
  }
}

/** Returns the milliseconds of `Retry-After`. A proxy may send a date instead of seconds. */
export function parseRetryAfter(value: string | null): number | undefined {
  if (value && /^\d+$/.test(value)) {
    return 1000 * Number(value);
  }
  const date = value?.endsWith('GMT') ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
