// Generated from openapi/manage.json by scripts/clients --generate.
import { Api } from './api.js';
import { Batches } from './batches.js';
import { Core, Resource, segment, type CallOptions, type ChangeOptions, type ClientOptions, type CreateOptions, type Pages } from './client.js';
import type { AuditRequest, CampaignLinks, ClickReport, CreatedKey, CreatedWebhook, DeleteLinkQuery, DeleteWebhookQuery, Delivery, DeliveryAttempt, Event, EventChange, EventDetails, GetClickReportQuery, GetLinkClicksQuery, Key, KeyCreate, KeyUpdate, Link, LinkBatch, LinkBatchCreate, LinkChange, LinkChangeResult, LinkClicks, LinkCreate, LinkUpdate, ListCampaignsQuery, ListEventChangesQuery, ListEventsQuery, ListKeysQuery, ListLinkEventsQuery, ListLinksQuery, ListWebhookDeliveriesQuery, ListWebhooksQuery, Owner, RevokeKeyQuery, Webhook, WebhookCreate, WebhookUpdate } from './types/manage.js';

export class CampaignsResource extends Resource {
  /**
   * List the campaigns.
   *
   * Returns the campaigns of the owner's links, by name, each with the number of its links.
   */
  list(query: ListCampaignsQuery = {}, options: CallOptions = {}): Pages<CampaignLinks> {
    return this.core.list('/api/manage/v1/campaigns', { limit: 1000, ...query }, options);
  }
}

export class EventsResource extends Resource {
  /**
   * List events.
   *
   * Returns the changes of the owner, and of the owner's links, keys, domains and webhooks, also of links that are deleted, newest first. With `after_id`, it returns later events, oldest first: events become visible in the order of their identifiers, so a program that follows the pages to the end, and later continues after the last one it has seen, misses none.
   */
  list(query: ListEventsQuery = {}, options: CallOptions = {}): Pages<Event> {
    return this.core.list('/api/manage/v1/events', { limit: 1000, ...query }, options);
  }

  /**
   * Read an event.
   *
   * Returns an event, and the first 100 of what it changed. Of a change over several owners, it returns only what is the owner's.
   */
  get(id: number, options: CallOptions = {}): Promise<EventDetails> {
    return this.core.call('GET', () => `/api/manage/v1/events/${segment(id)}`, {}, options);
  }

  /**
   * List what an event changed.
   *
   * Returns everything that an event changed, in the order in which it did. Of a change over several owners, it returns only what is the owner's.
   */
  changes(id: number, query: ListEventChangesQuery = {}, options: CallOptions = {}): Pages<EventChange> {
    return this.core.list(() => `/api/manage/v1/events/${segment(id)}/changes`, { limit: 1000, ...query }, options);
  }

  /**
   * Stop the change of an event.
   *
   * Changes an event that runs, which is a change of many links by a key of the owner: it stops after the slice in progress. What was changed stays changed, and the request that made the change goes on if it is repeated. The stop is itself an event, except if the change had ended: then nothing happens. A change by the operator cannot be stopped; the response is 404.
   */
  stop(id: number, body: AuditRequest = {}, options: CreateOptions = {}): Promise<Event> {
    return this.core.call('POST', () => `/api/manage/v1/events/${segment(id)}/stop`, { body, isIdempotent: true }, options);
  }
}

export class KeysResource extends Resource {
  /**
   * List the keys of the owner.
   *
   * Returns the API keys of the owner, newest first, revoked and expired ones included. The server stores no secret, so it cannot show one.
   */
  list(query: ListKeysQuery = {}, options: CallOptions = {}): Pages<Key> {
    return this.core.list('/api/manage/v1/keys', { limit: 1000, ...query }, options);
  }

  /**
   * Create a key of the owner.
   *
   * Creates an API key. Its secret is in this response and nowhere else: the server stores only a hash of it. An owner has at most 100 valid keys. A key with an expiry cannot create one with a later expiry.
   *
   * With `Idempotency-Key`, a repetition with the same API key within 24 hours returns the same secret again, as long as the created key is valid; with another API key, 409 `secret-unavailable`.
   */
  create(body: KeyCreate, options: CreateOptions = {}): Promise<CreatedKey> {
    return this.core.call('POST', '/api/manage/v1/keys', { body, isIdempotent: true }, options);
  }

  /**
   * Read a key of the owner.
   *
   * Returns an API key, without its secret. The response for another owner's key is the same as for one that does not exist.
   */
  get(id: number, options: CallOptions = {}): Promise<Key> {
    return this.core.call('GET', () => `/api/manage/v1/keys/${segment(id)}`, {}, options);
  }

  /**
   * Change a key of the owner.
   *
   * Changes the label or the expiry of an API key. A key with an expiry cannot give another key a later one, or none. Servers follow within a second.
   */
  update(id: number, body: KeyUpdate, options: ChangeOptions = {}): Promise<Key> {
    return this.core.call('PATCH', () => `/api/manage/v1/keys/${segment(id)}`, { body }, options);
  }

  /**
   * Revoke a key of the owner.
   *
   * Deletes the rights of an API key permanently; servers reject it within a second. A key cannot revoke itself. Revoking a key again returns 404.
   */
  revoke(id: number, query: RevokeKeyQuery = {}, options: ChangeOptions = {}): Promise<void> {
    return this.core.call('DELETE', () => `/api/manage/v1/keys/${segment(id)}`, { query, missing: 'key-not-found' }, options);
  }
}

export class LinkChangesResource extends Resource {
  /**
   * Change any number of links.
   *
   * Changes the links that all selectors choose: pauses, unpauses, deletes or updates them, that is gives all the same new values. Redirects follow within a second. Codes that no link has are named, and the other links change. Links that the operator has disabled or blocked stay as they are, and are counted in `skipped`. A deletion needs a key of the scope `full`.
   *
   * The change is one event, made in slices. It does not depend on the connection: if it takes longer than 20 seconds, the response is 202 with the `Location` of its event, and a repetition with the same `Idempotency-Key` returns 202 while it runs, and then the result. A dry run always returns when it is done. If the key is revoked or the server shuts down, the change stops after the slice in progress, and the same request does the rest, with the same `Idempotency-Key` under the same event. One change of an owner runs at a time.
   */
  create(body: LinkChange, options: CreateOptions = {}): Promise<LinkChangeResult> {
    return this.core.call('POST', '/api/manage/v1/link-changes', { body, isIdempotent: true }, options);
  }
}

export class LinksResource extends Batches {
  /**
   * Find links by their properties.
   *
   * Returns links of the API key's owner, newest first, that meet all conditions.
   *
   * One request reads at most 20,000 links, so a page may have fewer than `limit`, even none: only a `next_cursor` of `null` ends the list. Links created meanwhile cause neither duplicates nor gaps.
   */
  list(query: ListLinksQuery = {}, options: CallOptions = {}): Pages<Link> {
    return this.core.list('/api/manage/v1/links', { limit: 1000, ...query }, options);
  }

  /**
   * Create a link.
   *
   * Creates a link, as `POST /api/v1/shorten` does, with all properties that `PATCH` can change. Its code is random unless `custom_code` is given. If the owner's plan does not allow custom codes, 409 `custom-codes-not-allowed`. The state in the response is that of the moment of creation.
   *
   * Both operations share the values of `Idempotency-Key`: one that was used for the other returns 409 `idempotency-key-reused`.
   */
  create(body: LinkCreate, options: CreateOptions = {}): Promise<Link> {
    return this.core.call('POST', '/api/manage/v1/links', { body, isIdempotent: true }, options);
  }

  /**
   * Read a link.
   *
   * Returns a link with its clicks, every click included whose redirect was sent. The response for another owner's link is the same as for one that does not exist.
   */
  get(code: string, options: CallOptions = {}): Promise<Link> {
    return this.core.call('GET', () => `/api/manage/v1/links/${segment(code)}`, {}, options);
  }

  /**
   * Change a link.
   *
   * Changes the given properties of a link, and no others. Redirects follow within a second. An unchanged value is not checked again.
   *
   * With `If-Match`, the link is only changed if its `ETag` is still one of those; of several concurrent changes with the same `ETag`, exactly one succeeds. While the operator has disabled the link or blocked its destination, 409 `link-disabled`.
   */
  update(code: string, body: LinkUpdate, options: ChangeOptions = {}): Promise<Link> {
    return this.core.call('PATCH', () => `/api/manage/v1/links/${segment(code)}`, { body }, options);
  }

  /**
   * Delete a link.
   *
   * Deletes a link with its clicks, and retires its code, which returns 410 from then on and is never used again. Deleting it again returns 404.
   *
   * With `If-Match`, the link is only deleted if its `ETag` is still one of those. While the operator has disabled the link or blocked its destination, 409 `link-disabled`.
   */
  delete(code: string, query: DeleteLinkQuery = {}, options: ChangeOptions = {}): Promise<void> {
    return this.core.call('DELETE', () => `/api/manage/v1/links/${segment(code)}`, { query, missing: 'link-not-found' }, options);
  }

  /**
   * Read a link by its external identifier.
   *
   * Returns the link that has this `external_id`, as `GET /links/{code}` does.
   */
  getByExternalId(externalId: string, options: CallOptions = {}): Promise<Link> {
    return this.core.call('GET', () => `/api/manage/v1/external-links/${segment(externalId)}`, {}, options);
  }

  /**
   * Create or change a link by its external identifier.
   *
   * Creates the link with this `external_id` (201), or changes the given members of the one that exists (200), as `PATCH /links/{code}` does: an absent member stays, `null` removes a value, and an unchanged one is not checked again. Where there must be a value, `null` is the same as absence. `custom_code` counts only for a new link.
   *
   * The request may be repeated for ever, and two at the same time make one link. After the link was deleted, a repetition makes another one. With `If-Match`, the link is only changed if its `ETag` is still one of those, and none is created.
   */
  upsert(externalId: string, body: LinkCreate, options: ChangeOptions = {}): Promise<Link> {
    return this.core.call('PUT', () => `/api/manage/v1/external-links/${segment(externalId)}`, { body }, options);
  }

  /**
   * Create many links.
   *
   * Creates up to 1,000 links, each as `POST /links` does, and returns their results in order. Each link stands for itself: one that is malformed, or for which there is no room in the plan, fails alone. One link may have as many bytes as the body of `POST /links`. The batch counts as one request.
   *
   * With `"if_exists": "update"`, a link whose `external_id` exists changes that link instead, as `PUT /external-links/{external_id}` does, and has the status 200. All such changes are one event, `event_id`.
   *
   * With `Idempotency-Key`, a repetition returns the links that it has created as the first time, and those that it has changed as they are now, with the same event; it tries to create or change the others.
   */
  createBatch(body: LinkBatchCreate, options: CreateOptions = {}): Promise<LinkBatch> {
    return this.core.call('POST', '/api/manage/v1/link-batches', { body, isIdempotent: true }, options);
  }

  /**
   * Read the clicks of a link by day.
   *
   * Returns the clicks of a link on each day (UTC) of a range, today included: without parameters, the last 30 days. The days, `clicks_before` and `clicks_after` add up to the link's clicks.
   */
  clicks(code: string, query: GetLinkClicksQuery = {}, options: CallOptions = {}): Promise<LinkClicks> {
    return this.core.call('GET', () => `/api/manage/v1/links/${segment(code)}/clicks`, { query }, options);
  }

  /**
   * List the events of a link.
   *
   * Returns the changes of a link, newest first, even if the link is deleted. For a change by the operator, it returns the time, the action and the reason, but neither name, note nor case.
   */
  events(code: string, query: ListLinkEventsQuery = {}, options: CallOptions = {}): Pages<Event> {
    return this.core.list(() => `/api/manage/v1/links/${segment(code)}/events`, { limit: 1000, ...query }, options);
  }
}

export class OwnerResource extends Resource {
  /**
   * Read the owner of the key.
   *
   * Returns the owner of the API key, what the owner's plan allows and what the owner uses of it. Keys of every scope may call this operation; for those of the scope `create`, `usage` and `domains` are null.
   */
  get(options: CallOptions = {}): Promise<Owner> {
    return this.core.call('GET', '/api/manage/v1/owner', {}, options);
  }
}

export class ReportsResource extends Resource {
  /**
   * Read the clicks of a range of days.
   *
   * Returns the clicks of the owner's links in a month or another range of days (UTC), summed up by day, by campaign or by link. Links deleted since are one row, without a code or campaign; by campaign, it includes links without one.
   */
  clicks(query: GetClickReportQuery = {}, options: CallOptions = {}): Promise<ClickReport> {
    return this.core.call('GET', '/api/manage/v1/reports/clicks', { query }, options);
  }
}

export class WebhooksResource extends Resource {
  /**
   * List the webhooks of the owner.
   *
   * Returns the webhooks of the owner, newest first.
   */
  list(query: ListWebhooksQuery = {}, options: CallOptions = {}): Pages<Webhook> {
    return this.core.list('/api/manage/v1/webhooks', { limit: 1000, ...query }, options);
  }

  /**
   * Create a webhook.
   *
   * Creates a webhook, which is told of what commits from one second after the response. An owner has at most 10. Its secret is shown only here and by its replacement.
   *
   * With `Idempotency-Key`, a repetition within 24 hours returns the same secret, unless it was replaced: then, or once the webhook is deleted, 409 `secret-unavailable`.
   */
  create(body: WebhookCreate, options: CreateOptions = {}): Promise<CreatedWebhook> {
    return this.core.call('POST', '/api/manage/v1/webhooks', { body, isIdempotent: true }, options);
  }

  /**
   * Read a webhook.
   *
   * Returns a webhook, without its secret.
   */
  get(id: number, options: CallOptions = {}): Promise<Webhook> {
    return this.core.call('GET', () => `/api/manage/v1/webhooks/${segment(id)}`, {}, options);
  }

  /**
   * Change a webhook.
   *
   * Changes the given properties of a webhook, and no others. Servers follow within a second. One that the operator has disabled cannot be enabled: 409 `webhook-disabled`.
   */
  update(id: number, body: WebhookUpdate, options: ChangeOptions = {}): Promise<Webhook> {
    return this.core.call('PATCH', () => `/api/manage/v1/webhooks/${segment(id)}`, { body }, options);
  }

  /**
   * Delete a webhook.
   *
   * Deletes a webhook, and all of its deliveries. What waits is not sent.
   */
  delete(id: number, query: DeleteWebhookQuery = {}, options: ChangeOptions = {}): Promise<void> {
    return this.core.call('DELETE', () => `/api/manage/v1/webhooks/${segment(id)}`, { query, missing: 'webhook-not-found' }, options);
  }

  /**
   * Replace the secret of a webhook.
   *
   * Creates a new secret. For 24 hours, the former one signs too, so that receivers can be changed meanwhile. With `Idempotency-Key`, a repetition within 24 hours returns the same secret.
   */
  rotate(id: number, options: CreateOptions = {}): Promise<CreatedWebhook> {
    return this.core.call('POST', () => `/api/manage/v1/webhooks/${segment(id)}/rotate`, { isIdempotent: true }, options);
  }

  /**
   * Test a webhook.
   *
   * Creates a delivery of the type `webhook.test`, sends it now, and returns the attempt. It is not repeated, and it is sent even if the owner has disabled the webhook. With `Idempotency-Key`, a repetition within 24 hours returns the same attempt.
   */
  test(id: number, options: CreateOptions = {}): Promise<DeliveryAttempt> {
    return this.core.call('POST', () => `/api/manage/v1/webhooks/${segment(id)}/test`, { isIdempotent: true }, options);
  }

  /**
   * List the deliveries of a webhook.
   *
   * Returns the deliveries of the last 7 days, newest first.
   */
  deliveries(id: number, query: ListWebhookDeliveriesQuery = {}, options: CallOptions = {}): Pages<Delivery> {
    return this.core.list(() => `/api/manage/v1/webhooks/${segment(id)}/deliveries`, { limit: 1000, ...query }, options);
  }

  /**
   * Repeat a delivery.
   *
   * Changes a delivery so that it is sent again within a second, whatever its status is. What was deleted cannot be sent again: 409 `delivery-erased`. With `Idempotency-Key`, a repetition within 24 hours sends nothing more.
   */
  retryDelivery(id: number, deliveryId: string, options: CreateOptions = {}): Promise<Delivery> {
    return this.core.call('POST', () => `/api/manage/v1/webhooks/${segment(id)}/deliveries/${segment(deliveryId)}/retry`, { isIdempotent: true }, options);
  }
}

/** The operations of Terse: manage your links, reports and keys. */
export class Terse extends Api {
  readonly campaigns = new CampaignsResource(this.core);
  readonly events = new EventsResource(this.core);
  readonly keys = new KeysResource(this.core);
  readonly linkChanges = new LinkChangesResource(this.core);
  readonly links = new LinksResource(this.core);
  readonly owner = new OwnerResource(this.core);
  readonly reports = new ReportsResource(this.core);
  readonly webhooks = new WebhooksResource(this.core);

  constructor(options: ClientOptions) {
    super(new Core(options));
  }
}
