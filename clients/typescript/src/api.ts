// Generated from openapi/openapi.json by scripts/clients --generate.
import { Resource, segment, type CallOptions, type CreateOptions, type Pages } from './client.js';
import type { Link, ListLinksQuery, ListQrCodesQuery, QrCodeLink, QrCodeRequest, QrCodeResponse, ShortenRequest, ShortenResponse, StatsResponse } from './types/api.js';

/** The operations of Terse. */
export class Api extends Resource {

  /**
   * Create a short link.
   *
   * Creates a link of the API key's owner, which redirects as soon as the response is sent. Its code is random, 7 characters that are hard to confuse, unless `custom_code` is given and the owner's plan allows custom codes. The same `url` twice creates two links, each with its own clicks.
   *
   * Conflicts (409) differ in `code`: `code-in-use`, `code-reserved`, `plan-limit-reached`, `daily-limit-reached`, `expiry-passed` or `idempotency-key-reused`. None of them creates anything.
   */
  shorten(body: ShortenRequest, options: CreateOptions = {}): Promise<ShortenResponse> {
    return this.core.call('POST', '/api/v1/shorten', { body, isIdempotent: true }, options);
  }

  /**
   * List all links.
   *
   * Returns all links of the API key's owner, newest first, with their current clicks.
   *
   * With `limit`, at most that many; the header `Link` then has the URL of the next page, and is absent on the last one. Links created meanwhile cause neither duplicates nor gaps.
   */
  listLinks(query: ListLinksQuery = {}, options: CallOptions = {}): Pages<Link> {
    return this.core.list('/api/v1/links', { limit: 1000, ...query }, options);
  }

  /**
   * Read the statistics of a link.
   *
   * Returns a link and its clicks. Every click whose redirect was sent is counted, including the latest (`docs/counting.md` of Terse lists the exceptions); prefetches, link previews and robots are not clicks. Another owner's link returns the same 404 as one that does not exist.
   */
  getStats(code: string, options: CallOptions = {}): Promise<StatsResponse> {
    return this.core.call('GET', () => `/api/v1/stats/${segment(code)}`, {}, options);
  }

  /**
   * List all links with a QR code.
   *
   * Returns all links of the API key's owner whose QR code is enabled, newest first.
   *
   * With `limit`, at most that many; the header `Link` then has the URL of the next page, and is absent on the last one. Links created meanwhile cause neither duplicates nor gaps.
   */
  listQrCodes(query: ListQrCodesQuery = {}, options: CallOptions = {}): Pages<QrCodeLink> {
    return this.core.list('/api/v1/qrcodes', { limit: 1000, ...query }, options);
  }

  /**
   * Enable the QR code of a link.
   *
   * Enables the images `/{code}/qr.svg` and `/{code}/qr.png`, which need no key (410 or 451 while the link does not redirect). `?size=` is their side length in pixels, up to 4096; a PNG needs at least one pixel per module. Calling the operation again changes the given settings and retains the others.
   *
   * Colours that are too similar to be scanned return 409 `qr-colours-too-close`; the stored colour applies if one is omitted. An imported link whose short URL is too long returns 409 `qr-code-too-long`.
   */
  enableQrCode(body: QrCodeRequest, options: CreateOptions = {}): Promise<QrCodeResponse> {
    return this.core.call('POST', '/api/v1/qrcodes', { body, isIdempotent: true }, options);
  }
}
