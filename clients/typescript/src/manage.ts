// Generated from openapi/manage.json by scripts/clients --generate.
import { Client, type CallOptions, segment, type ChangeOptions, type CreateOptions, type Pages } from './client.js';
import type { operations, ClickReport, CreatedKey, Event, Key, KeyCreate, KeyUpdate, Link, LinkBatch, LinkBatchCreate, LinkClicks, LinkCreate, LinkUpdate, Owner } from './types/manage.js';

export type { Actor, Audit, ClickReport, ClickReportRow, CreatedKey, DayClicks, Domain, Event, EventAudit, EventList, FieldError, Key, KeyCreate, KeyList, KeyUpdate, Link, LinkBatch, LinkBatchCreate, LinkBatchItem, LinkClicks, LinkCreate, LinkList, LinkUpdate, Owner, OwnerUsage, Plan, Problem } from './types/manage.js';

/** The version of the document from which this file was generated. */
export const documentVersion = '0.1.0';

type Query<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;

/** The operations of Terse: manage your links, reports and keys. */
export class Manage extends Client {
  /**
   * Find links by their properties.
   *
   * Returns links of the API key's owner, newest first, that meet all conditions.
   *
   * One request reads at most 20,000 links, so a page may have fewer than `limit`, even none: only a `next_cursor` of `null` ends the list. Links created meanwhile cause neither duplicates nor gaps.
   */
  listLinks(query: Omit<Query<'listLinks'>, 'cursor'> = {}, options: CallOptions = {}): Pages<Link> {
    return this.list('/api/manage/v1/links', { limit: 1000, ...query }, options);
  }

  /**
   * Create a link.
   *
   * Creates a link, as `POST /api/v1/shorten` does, with all properties that `PATCH` can change. Its code is random unless `custom_code` is given. If the owner's plan does not allow custom codes, 409 `custom-codes-not-allowed`. The state in the response is that of the moment of creation.
   *
   * Both operations share the values of `Idempotency-Key`: one that was used for the other returns 409 `idempotency-key-reused`.
   */
  createLink(body: LinkCreate, options: CreateOptions = {}): Promise<Link> {
    return this.call({ method: 'POST', path: '/api/manage/v1/links', body, isIdempotent: true }, options);
  }

  /**
   * Read a link.
   *
   * Returns a link with its clicks, every click included whose redirect was sent. The response for another owner's link is the same as for one that does not exist.
   */
  getLink(code: string, options: CallOptions = {}): Promise<Link> {
    return this.call({ method: 'GET', path: `/api/manage/v1/links/${segment(code)}` }, options);
  }

  /**
   * Change a link.
   *
   * Changes the given properties of a link, and no others. Redirects follow within a second. An unchanged value is not checked again.
   *
   * With `If-Match`, the link is only changed if its `ETag` is still one of those; of several concurrent changes with the same `ETag`, exactly one succeeds. While the operator has disabled the link or blocked its destination, 409 `link-disabled`.
   */
  updateLink(code: string, body: LinkUpdate, options: ChangeOptions = {}): Promise<Link> {
    return this.call({ method: 'PATCH', path: `/api/manage/v1/links/${segment(code)}`, body }, options);
  }

  /**
   * Delete a link.
   *
   * Deletes a link with its clicks, and retires its code, which returns 410 from then on and is never used again. Deleting it again returns 404.
   *
   * With `If-Match`, the link is only deleted if its `ETag` is still one of those. While the operator has disabled the link or blocked its destination, 409 `link-disabled`.
   */
  deleteLink(code: string, query: Query<'deleteLink'> = {}, options: ChangeOptions = {}): Promise<void> {
    return this.call({ method: 'DELETE', path: `/api/manage/v1/links/${segment(code)}`, query }, options);
  }

  /**
   * Create many links.
   *
   * Creates up to 1,000 links, each as `POST /links` does, and returns their results in order. Each link stands for itself: one that is malformed, or for which there is no room in the plan, fails alone. One link may have as many bytes as the body of `POST /links`. The batch counts as one request.
   *
   * With `Idempotency-Key`, a repetition returns the links that exist as the first time, and tries to create the others.
   */
  createLinks(body: LinkBatchCreate, options: CreateOptions = {}): Promise<LinkBatch> {
    return this.call({ method: 'POST', path: '/api/manage/v1/link-batches', body, isIdempotent: true }, options);
  }

  /**
   * Read the clicks of a link by day.
   *
   * Returns the clicks of a link on each day (UTC) of a range, today included: without parameters, the last 30 days. The days, `clicks_before` and `clicks_after` add up to the link's clicks.
   */
  getLinkClicks(code: string, query: Query<'getLinkClicks'> = {}, options: CallOptions = {}): Promise<LinkClicks> {
    return this.call({ method: 'GET', path: `/api/manage/v1/links/${segment(code)}/clicks`, query }, options);
  }

  /**
   * List the events of a link.
   *
   * Returns the changes of a link, newest first. For a change by the operator, it returns the time, the action and the reason, but neither name, note nor case.
   */
  listLinkEvents(code: string, query: Omit<Query<'listLinkEvents'>, 'cursor'> = {}, options: CallOptions = {}): Pages<Event> {
    return this.list(`/api/manage/v1/links/${segment(code)}/events`, { limit: 1000, ...query }, options);
  }

  /**
   * Read the clicks of a month.
   *
   * Returns the clicks of the owner's links in a month (UTC), summed up by campaign or by link. Groups without clicks are missing. Deleted links are one row, without a code.
   */
  getClickReport(query: Query<'getClickReport'> = {}, options: CallOptions = {}): Promise<ClickReport> {
    return this.call({ method: 'GET', path: '/api/manage/v1/reports/clicks', query }, options);
  }

  /**
   * Read the owner of the key.
   *
   * Returns the owner of the API key, what the owner's plan allows and what the owner uses of it. Keys of every scope may call this operation; for those of the scope `create`, `usage` and `domains` are null.
   */
  getOwner(options: CallOptions = {}): Promise<Owner> {
    return this.call({ method: 'GET', path: '/api/manage/v1/owner' }, options);
  }

  /**
   * List the keys of the owner.
   *
   * Returns the API keys of the owner, newest first, revoked and expired ones included. The server stores no secret, so it cannot show one.
   */
  listKeys(query: Omit<Query<'listKeys'>, 'cursor'> = {}, options: CallOptions = {}): Pages<Key> {
    return this.list('/api/manage/v1/keys', { limit: 1000, ...query }, options);
  }

  /**
   * Create a key of the owner.
   *
   * Creates an API key. Its secret is in this response and nowhere else: the server stores only a hash of it. An owner has at most 100 valid keys. A key with an expiry cannot create one with a later expiry.
   *
   * With `Idempotency-Key`, a repetition with the same API key within 24 hours returns the same secret again, as long as the created key is valid; with another API key, 409 `secret-unavailable`.
   */
  createKey(body: KeyCreate, options: CreateOptions = {}): Promise<CreatedKey> {
    return this.call({ method: 'POST', path: '/api/manage/v1/keys', body, isIdempotent: true }, options);
  }

  /**
   * Read a key of the owner.
   *
   * Returns an API key, without its secret. The response for another owner's key is the same as for one that does not exist.
   */
  getKey(id: number, options: CallOptions = {}): Promise<Key> {
    return this.call({ method: 'GET', path: `/api/manage/v1/keys/${segment(id)}` }, options);
  }

  /**
   * Change a key of the owner.
   *
   * Changes the label or the expiry of an API key. A key with an expiry cannot give another key a later one, or none. Servers follow within a second.
   */
  updateKey(id: number, body: KeyUpdate, options: CallOptions = {}): Promise<Key> {
    return this.call({ method: 'PATCH', path: `/api/manage/v1/keys/${segment(id)}`, body }, options);
  }

  /**
   * Revoke a key of the owner.
   *
   * Deletes the rights of an API key permanently; servers reject it within a second. A key cannot revoke itself. Revoking a key again returns 404.
   */
  revokeKey(id: number, query: Query<'revokeKey'> = {}, options: CallOptions = {}): Promise<void> {
    return this.call({ method: 'DELETE', path: `/api/manage/v1/keys/${segment(id)}`, query }, options);
  }
}
