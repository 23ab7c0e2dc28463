/** A page of a list. */
export interface Page<T> {
  data: T[];
  /** Where the list continues; `null` on the last page. */
  next: string | null;
}

/** A list. It is requested page by page, as it is read. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #read: (cursor?: string, limit?: number) => Promise<Page<T>>;

  constructor(read: (cursor?: string, limit?: number) => Promise<Page<T>>) {
    this.#read = read;
  }

  /** Returns the first page or, with `next` of another page, the page after it. */
  page(cursor?: string): Promise<Page<T>> {
    return this.#read(cursor);
  }

  /** Returns all pages. A page under filters may be empty although others follow. */
  pages(): AsyncGenerator<Page<T>, void> {
    return this.#pages();
  }

  /** Returns everything in the list. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for await (const page of this.#pages()) {
      yield* page.data;
    }
  }

  /** Returns everything in the list at once, or as much as `limit` says. */
  async all({ limit = Infinity }: { limit?: number } = {}): Promise<T[]> {
    if (limit !== Infinity && !(Number.isInteger(limit) && limit >= 0)) {
      throw new RangeError('limit must be a whole number');
    }
    const items: T[] = [];
    if (limit > 0) {
      for await (const page of this.#pages(limit)) {
        items.push(...page.data);
        if (items.length >= limit) break;
      }
    }
    return items.slice(0, limit);
  }

  async *#pages(limit = Infinity): AsyncGenerator<Page<T>, void> {
    let cursor: string | undefined;
    do {
      const page = await this.#read(cursor, Number.isFinite(limit) ? limit : undefined);
      yield page;
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
  }
}
