// Errors that the server reported.

import { isProblem as isAny, type ProblemCode, type TerseProblem } from '@terse/client';

/** Returns whether an error is a problem that the server reported, and if codes are given, one of these. */
export const isProblem = (error: unknown, ...codes: ProblemCode[]): error is TerseProblem => isAny(error, ...codes);
