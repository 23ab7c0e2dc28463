import { backoff, newKey, pause, Resource, responseOf, toJson, type CreateOptions } from './client.js';
import { problemOf, TerseError } from './problem.js';
import type { Link, LinkBatch, LinkBatchCreate, LinkCreate } from './types/manage.js';

const MAX_LINKS = 1000;
// The body may have 4 MiB.
const MAX_BYTES = 4_000_000;

/** Options of `createMany`. */
export type CreateManyOptions = CreateOptions & Omit<LinkBatchCreate, 'links'>;

/** The outcome of a link: it exists, or it has an error. */
export type LinkResult = { index: number; request: LinkCreate } & (
  | { link: Link; error?: undefined }
  | { link?: undefined; error: TerseError }
);

/** The outcome of each given link, in their order. */
export interface CreatedLinks {
  results: LinkResult[];
  /** The links that exist now. */
  links: Link[];
  /** The results with an error. */
  failed: (LinkResult & { error: TerseError })[];
  /** With this key, the same call creates what is missing, and nothing twice, within 24 hours. */
  idempotencyKey: string;
}

/** A call to `createMany` ended on this side after it had sent something: `cause` says why. */
export class TerseBatchError extends TerseError {
  override name = 'TerseBatchError';

  constructor(
    cause: unknown,
    /** The outcomes that are known, in the order of the links. A batch that was on its way is not among them. */
    readonly results: LinkResult[],
    /** With this key, the same call creates what is missing, and nothing twice, within 24 hours. */
    override readonly idempotencyKey: string,
  ) {
    super(`the outcomes of ${results.length} links are known, then: ${cause}`, undefined, undefined, { cause });
  }
}

/** Creates any number of links. */
export abstract class Batches extends Resource {
  abstract createBatch(body: LinkBatchCreate, options?: CreateOptions): Promise<LinkBatch>;

  /**
   * Create any number of links.
   *
   * Sends them in batches of at most 1,000, and repeats each that failed, or of which something failed with 503 or 429,
   * until `retryFor` has passed. If the first batch fails as a whole, the call throws; if a later one does, it and the
   * rest have its error. What ends the call on this side after something was sent, such as an error of the iterator, an
   * invalid link or an aborted `signal`, is the cause of a `TerseBatchError`.
   */
  async createMany(links: Iterable<LinkCreate> | AsyncIterable<LinkCreate>, options: CreateManyOptions = {}): Promise<CreatedLinks> {
    const { timeout, retryFor: _, headers, signal, idempotencyKey = newKey(), ...settings } = options;
    const { retryFor } = this.core.settings(options);
    signal?.throwIfAborted();
    // The server takes 255 characters, and each batch adds its number.
    if (!idempotencyKey || idempotencyKey.length > 250) {
      throw new TypeError('an idempotencyKey for many links must have 1 to 250 characters');
    }
    const callOptions = { timeout, retryFor, headers, signal } as BatchOptions;
    const results: LinkResult[] = [];
    let number = 0;
    let failure: TerseError | undefined;
    try {
      for await (const batch of batches(links)) {
        let answer: LinkBatch | undefined;
        try {
          answer = failure ? undefined : await this.#complete({ ...settings, links: batch }, { ...callOptions, idempotencyKey: `${idempotencyKey}-${number++}` });
        } catch (error) {
          if (!(error instanceof TerseError)) throw error;
          failure = Object.assign(error, { idempotencyKey });
          if (!results.length) throw failure;
        }
        batch.forEach((request, place) => {
          const { link, problem } = answer?.data[place] ?? {};
          const given = { index: results.length, request };
          results.push(link ? { ...given, link } : { ...given, error: problem ? problemOf(problem, responseOf(answer!)!) : failure! });
        });
      }
    } catch (error) {
      throw number === 0 || error === failure ? error : new TerseBatchError(error, results, idempotencyKey);
    }
    return {
      results,
      links: results.flatMap(({ link }) => link ?? []),
      failed: results.filter((result) => result.error !== undefined),
      idempotencyKey,
    };
  }

  // Under the same key, the server returns the links that exist as the first time, and tries to create the others.
  async #complete(batch: LinkBatchCreate, options: BatchOptions): Promise<LinkBatch> {
    const deadline = Date.now() + options.retryFor;
    let known: LinkBatch | undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        known = await this.#send(batch, { ...options, retryFor: Math.max(0, deadline - Date.now()) });
      } catch (error) {
        if (known && error instanceof TerseError) return known;
        throw error;
      }
      const wait = backoff(attempt);
      if (!known.data.some(({ status }) => status === 503 || status === 429) || Date.now() + wait > deadline) {
        return known;
      }
      await pause(wait, options.signal);
    }
  }

  async #send(batch: LinkBatchCreate, options: CreateOptions): Promise<LinkBatch> {
    const answer = await this.createBatch(batch, options);
    const { length } = batch.links;
    if (!Array.isArray(answer.data) || answer.data.length !== length || !answer.data.every((item) => item?.link ?? item?.problem)) {
      throw new TerseError(`the response is not of Terse: it has no outcomes of ${length} links`, responseOf(answer));
    }
    return answer;
  }
}

type BatchOptions = CreateOptions & { retryFor: number };

async function* batches(links: Iterable<LinkCreate> | AsyncIterable<LinkCreate>): AsyncGenerator<LinkCreate[]> {
  const encoder = new TextEncoder();
  let batch: LinkCreate[] = [];
  let bytes = 0;
  for await (const link of links) {
    const size = encoder.encode(toJson(link)).length + 1;
    if (batch.length === MAX_LINKS || (batch.length && bytes + size > MAX_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(link);
    bytes += size;
  }
  if (batch.length) {
    yield batch;
  }
}
