import { backoff, milliseconds, newKey, pause, Resource, responseOf, type CreateOptions } from './client.js';
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

/** Creates any number of links. */
export abstract class Batches extends Resource {
  abstract createBatch(body: LinkBatchCreate, options?: CreateOptions): Promise<LinkBatch>;

  /**
   * Create any number of links.
   *
   * Sends them in batches of at most 1,000, and repeats what failed with 503 or 429 until `retryFor` has passed. If the
   * first batch fails as a whole, the call throws; if a later one does, it and the rest have its error.
   */
  async createMany(links: Iterable<LinkCreate> | AsyncIterable<LinkCreate>, options: CreateManyOptions = {}): Promise<CreatedLinks> {
    const { timeout, retryFor, headers, signal, idempotencyKey = newKey(), ...settings } = options;
    const callOptions = { timeout, retryFor, headers, signal } as CreateOptions;
    const results: LinkResult[] = [];
    let number = 0;
    let failure: TerseError | undefined;
    for await (const batch of batches(links)) {
      let answer: LinkBatch | undefined;
      try {
        answer = failure ? undefined : await this.#complete({ ...settings, links: batch }, { ...callOptions, idempotencyKey: `${idempotencyKey}-${number++}` });
      } catch (error) {
        if (!results.length || !(error instanceof TerseError)) throw error;
        failure = error;
      }
      batch.forEach((request, place) => {
        const { link, problem } = answer?.data[place] ?? {};
        const given = { index: results.length, request };
        results.push(link ? { ...given, link } : { ...given, error: problem ? problemOf(problem, responseOf(answer!)!) : failure! });
      });
    }
    return {
      results,
      links: results.flatMap(({ link }) => link ?? []),
      failed: results.filter((result) => result.error !== undefined),
      idempotencyKey,
    };
  }

  // Under the same key, the server returns the links that exist as the first time, and tries to create the others.
  async #complete(batch: LinkBatchCreate, options: CreateOptions): Promise<LinkBatch> {
    const deadline = Date.now() + milliseconds('retryFor', options.retryFor ?? this.core.retryFor, 0);
    for (let attempt = 1; ; attempt++) {
      const answer = await this.createBatch(batch, options);
      const wait = backoff(attempt);
      if (!answer.data.some(({ status }) => status === 503 || status === 429) || Date.now() + wait > deadline) {
        return answer;
      }
      await pause(wait, options.signal);
    }
  }
}

async function* batches(links: Iterable<LinkCreate> | AsyncIterable<LinkCreate>): AsyncGenerator<LinkCreate[]> {
  const encoder = new TextEncoder();
  let batch: LinkCreate[] = [];
  let bytes = 0;
  for await (const link of links) {
    const size = encoder.encode(JSON.stringify(link)).length + 1;
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
