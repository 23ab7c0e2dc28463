export * from './api.js';
export { etagOf, eventIdOf, Pages, responseHeadersOf } from './client.js';
export type { CallOptions, ChangeOptions, ClientOptions, CreateOptions, Page, Running } from './client.js';
export type { ProblemCode } from './codes.js';
export { isProblem, ProblemError } from './problem.js';
