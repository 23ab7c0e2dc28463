/** A page of a list. */
export interface Page<T> {
  data: T[];
  /** Where the list continues; `undefined` on the last page. */
  next: string | undefined;
}

/** A list. It is requested page by page, as it is read. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #read: (cursor?: string) => Promise<Page<T>>;

  constructor(read: (cursor?: string) => Promise<Page<T>>) {
    this.#read = read;
  }

  /** Returns the first page or, with `next` of another page, the page after it. */
  page(cursor?: string): Promise<Page<T>> {
    return this.#read(cursor);
  }

  /** Returns all pages. A page under filters may be empty although others follow. */
  async *pages(): AsyncGenerator<Page<T>, void> {
    let page: Page<T> | undefined;
    do {
      page = await this.#read(page?.next);
      yield page;
    } while (page.next !== undefined);
  }

  /** Returns everything in the list. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for await (const page of this.pages()) {
      yield* page.data;
    }
  }

  /** Returns everything in the list at once. */
  async all(): Promise<T[]> {
    const items: T[] = [];
    for await (const page of this.pages()) {
      items.push(...page.data);
    }
    return items;
  }
}
