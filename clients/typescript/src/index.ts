export * from './api.js';
export { etagOf, Pages, responseHeadersOf } from './client.js';
export type { CallOptions, ChangeOptions, ClientOptions, CreateOptions, Page } from './client.js';
export type { ProblemCode } from './codes.js';
export { isProblem, ProblemError } from './problem.js';
