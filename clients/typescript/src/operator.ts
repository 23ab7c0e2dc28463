// Generated from openapi/operator.json by scripts/clients --generate.
import { Core, Resource, segment, type CallOptions, type ChangeOptions, type ClientOptions, type CreateOptions, type Pages, type Running } from './client.js';
import type { AuditRequest, Block, BlockCheck, BlockCreate, ChangeResult, CheckBlockQuery, ClickReport, CreatedKey, CreatedOperatorKey, CreatedOwner, DeleteBlockQuery, DeleteDomainQuery, DeleteOwnerQuery, DeletePlanQuery, Domain, DomainCreate, DomainUpdate, Event, EventChange, EventDetails, GetClickReportQuery, GetLinkClicksQuery, GetUsageQuery, Key, KeyCreate, KeySearch, KeyUpdate, Link, LinkChange, LinkChangeResult, LinkClicks, LinkUpdate, ListBlocksQuery, ListDomainsQuery, ListEventChangesQuery, ListEventsQuery, ListKeysQuery, ListLinkEventsQuery, ListLinksQuery, ListOperatorKeysQuery, ListOwnersQuery, ListPlansQuery, ListWebhooksQuery, OperatorKey, OperatorKeyCreate, Owner, OwnerCreate, OwnerUpdate, Plan, PlanCreate, PlanUpdate, RevokeKeyQuery, RevokeOperatorKeyQuery, Status, UndoResult, UsageReport, Webhook } from './types/operator.js';

export type * from './types/operator.js';

export class BlocksResource extends Resource {
  /**
   * List the patterns in force.
   *
   * Returns the operator's own patterns, newest first, and then those of imported lists and of the block file. Expired ones are missing.
   */
  list(query: ListBlocksQuery = {}, options: CallOptions = {}): Pages<Block> {
    return this.core.list('/api/operator/v1/blocks', { limit: 1000, ...query }, options);
  }

  /**
   * Block destinations, or make an exception.
   *
   * Changes the rule of patterns, all in one transaction and event: `block` blocks the destinations that they match, and `allow` makes them exceptions. Servers follow within a second. The most specific pattern decides. Repeating the request changes nothing.
   */
  create(body: BlockCreate, options: CreateOptions = {}): Promise<ChangeResult> {
    return this.core.call('POST', '/api/operator/v1/blocks', { body, isIdempotent: true }, options);
  }

  /**
   * Remove a pattern.
   *
   * Deletes a pattern of the operator's own; those of imported lists stay. Servers follow within a second. Removing it again returns 404.
   */
  delete(query: DeleteBlockQuery, options: CallOptions = {}): Promise<void> {
    return this.core.call('DELETE', '/api/operator/v1/blocks', { query, missing: 'block-not-found' }, options);
  }

  /**
   * Check whether a destination is blocked.
   *
   * Returns whether a URL or a host is blocked, and the pattern that decides it.
   */
  check(query: CheckBlockQuery, options: CallOptions = {}): Promise<BlockCheck> {
    return this.core.call('GET', '/api/operator/v1/block-check', { query }, options);
  }
}

export class DomainsResource extends Resource {
  /**
   * List the domains.
   *
   * Returns the domains of all owners or of one, newest first.
   */
  list(query: ListDomainsQuery = {}, options: CallOptions = {}): Pages<Domain> {
    return this.core.list('/api/operator/v1/domains', { limit: 1000, ...query }, options);
  }

  /**
   * Add a domain to an owner.
   *
   * Creates a domain: a host of the owner's own, which serves the owner's links and nothing else. Servers follow within a second. The first domain of an owner is the default one, which `short_url` and QR codes have.
   *
   * If destinations or fallbacks lead to the host already, the response is 409 `domain-has-destinations`, unless `accept_destinations` is `true`.
   */
  create(body: DomainCreate, options: CreateOptions = {}): Promise<Domain> {
    return this.core.call('POST', '/api/operator/v1/domains', { body, isIdempotent: true }, options);
  }

  /**
   * Read a domain.
   *
   * Returns a domain, with its owner.
   */
  get(host: string, options: CallOptions = {}): Promise<Domain> {
    return this.core.call('GET', () => `/api/operator/v1/domains/${segment(host)}`, {}, options);
  }

  /**
   * Change a domain.
   *
   * Changes where visitors of the start page go, or makes the domain the default one of its owner. Servers follow within a second. Links still answer at all domains of the owner.
   */
  update(host: string, body: DomainUpdate, options: ChangeOptions = {}): Promise<Domain> {
    return this.core.call('PATCH', () => `/api/operator/v1/domains/${segment(host)}`, { body }, options);
  }

  /**
   * Remove a domain.
   *
   * Deletes a domain. Servers follow within a second: the host is then unknown, and free for any owner. Links stay, and answer at the base URL and the owner's other domains. Removing it again returns 404.
   */
  delete(host: string, query: DeleteDomainQuery = {}, options: ChangeOptions = {}): Promise<void> {
    return this.core.call('DELETE', () => `/api/operator/v1/domains/${segment(host)}`, { query, missing: 'domain-not-found' }, options);
  }
}

export class EventsResource extends Resource {
  /**
   * List events.
   *
   * Returns what was changed, by whom, when and why, newest first. With `after_id`, it returns later events, oldest first: events become visible in the order of their identifiers, so a program that follows the pages to the end, and later continues after the last one it has seen, misses none.
   */
  list(query: ListEventsQuery = {}, options: CallOptions = {}): Pages<Event> {
    return this.core.list('/api/operator/v1/events', { limit: 1000, ...query }, options);
  }

  /**
   * Read an event.
   *
   * Returns an event, and the first 100 of what it changed.
   */
  get(id: number, options: CallOptions = {}): Promise<EventDetails> {
    return this.core.call('GET', () => `/api/operator/v1/events/${segment(id)}`, {}, options);
  }

  /**
   * List what an event changed.
   *
   * Returns everything that an event changed, in the order in which it did. Of a deletion of links, it returns the codes.
   */
  changes(id: number, query: ListEventChangesQuery = {}, options: CallOptions = {}): Pages<EventChange> {
    return this.core.list(() => `/api/operator/v1/events/${segment(id)}/changes`, { limit: 1000, ...query }, options);
  }

  /**
   * Undo an event.
   *
   * Changes everything back that an event changed and nothing has changed since. Only events that disable, enable, pause, unpause or edit links, suspend or resume owners, change patterns, or change domains can be undone; the last only with the role `admin`. The undo is itself an event.
   *
   * It does not depend on the connection: if it takes longer than 20 seconds, the response is 202 with the `Location` of its event, and a repetition with the same `Idempotency-Key` returns 202 while it runs, and then the result. If it was interrupted, the repetition goes on under the same event.
   */
  undo(id: number, body: AuditRequest = {}, options: CreateOptions = {}): Promise<UndoResult> {
    return this.core.call('POST', () => `/api/operator/v1/events/${segment(id)}/undo`, { body, isIdempotent: true }, options);
  }

  /**
   * Stop the change of an event.
   *
   * Changes an event that runs, which is a change of many links, an undo or the deletion of an owner: it stops after the slice in progress. What was changed stays changed, and the request that made the change goes on if it is repeated. Stopping a deletion needs the role `admin`. The stop is itself an event, except if the change had ended: then nothing happens.
   */
  stop(id: number, body: AuditRequest = {}, options: CreateOptions = {}): Promise<Event> {
    return this.core.call('POST', () => `/api/operator/v1/events/${segment(id)}/stop`, { body, isIdempotent: true }, options);
  }
}

export class KeysResource extends Resource {
  /**
   * List the keys of an owner.
   *
   * Returns the API keys of an owner, newest first, revoked and expired ones included. The server stores no secret, so it cannot show one.
   */
  list(id: number, query: ListKeysQuery = {}, options: CallOptions = {}): Pages<Key> {
    return this.core.list(() => `/api/operator/v1/owners/${segment(id)}/keys`, { limit: 1000, ...query }, options);
  }

  /**
   * Create a key of an owner.
   *
   * Creates an API key. Its secret is in this response and nowhere else: the server stores only a hash of it. An owner has at most 100 valid keys.
   *
   * With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same secret again, as long as the created key is valid; with another operator key, 409 `secret-unavailable`.
   */
  create(id: number, body: KeyCreate, options: CreateOptions = {}): Promise<CreatedKey> {
    return this.core.call('POST', () => `/api/operator/v1/owners/${segment(id)}/keys`, { body, isIdempotent: true }, options);
  }

  /**
   * Read a key of any owner.
   *
   * Returns an API key with its owner, without its secret.
   */
  get(id: number, options: CallOptions = {}): Promise<Key> {
    return this.core.call('GET', () => `/api/operator/v1/keys/${segment(id)}`, {}, options);
  }

  /**
   * Change a key.
   *
   * Changes the label or the expiry of an API key. Servers follow within a second: if the new expiry has passed, the key is invalid at once.
   */
  update(id: number, body: KeyUpdate, options: ChangeOptions = {}): Promise<Key> {
    return this.core.call('PATCH', () => `/api/operator/v1/keys/${segment(id)}`, { body }, options);
  }

  /**
   * Revoke a key.
   *
   * Deletes the rights of an API key permanently; servers reject it within a second. Revoking a key again returns 404.
   */
  revoke(id: number, query: RevokeKeyQuery = {}, options: ChangeOptions = {}): Promise<void> {
    return this.core.call('DELETE', () => `/api/operator/v1/keys/${segment(id)}`, { query, missing: 'key-not-found' }, options);
  }

  /**
   * Find a key by its secret.
   *
   * Returns the API key with this secret and its owner, even if the key is no longer valid. The secret stands in the body, so that no log has it.
   */
  find(body: KeySearch, options: CallOptions = {}): Promise<Key> {
    return this.core.call('POST', '/api/operator/v1/key-search', { body, isRepeatable: true }, options);
  }
}

export class LinkChangesResource extends Resource {
  /**
   * Change any number of links.
   *
   * Changes the links that all selectors choose: disables, enables, pauses, unpauses, deletes or updates them. Redirects follow within a second. Codes that no link has are named, and the other links change.
   *
   * The change is one event, made in slices. It does not depend on the connection: if it takes longer than 20 seconds, the response is 202 with the `Location` of its event, and a repetition with the same `Idempotency-Key` returns 202 while it runs, and then the result. A dry run always returns when it is done. `POST /events/{id}/stop` stops a change after the slice in progress. If the operator key is revoked or the server shuts down, it stops, too; the event counts what was done, and the same request does the rest, with the same `Idempotency-Key` under the same event.
   */
  create(body: LinkChange, options: CreateOptions = {}): Promise<LinkChangeResult> {
    return this.core.call('POST', '/api/operator/v1/link-changes', { body, isIdempotent: true }, options);
  }
}

export class LinksResource extends Resource {
  /**
   * Find links of all owners.
   *
   * Returns the links that meet all conditions, newest first.
   *
   * One request reads at most 20,000 links, so a page may have fewer than `limit`, even none: only a `next_cursor` of `null` ends the list. Links created meanwhile cause neither duplicates nor gaps.
   */
  list(query: ListLinksQuery = {}, options: CallOptions = {}): Pages<Link> {
    return this.core.list('/api/operator/v1/links', { limit: 1000, ...query }, options);
  }

  /**
   * Read a link.
   *
   * Returns a link with its clicks, its state and its owner. Deleted links are missing.
   */
  get(code: string, options: CallOptions = {}): Promise<Link> {
    return this.core.call('GET', () => `/api/operator/v1/links/${segment(code)}`, {}, options);
  }

  /**
   * Change a link.
   *
   * Changes the given properties of a link, and no others. Redirects follow within a second. An unchanged value is not checked again. `POST /link-changes` disables and deletes links.
   *
   * With `If-Match`, the link is only changed if its `ETag` is still one of those.
   */
  update(code: string, body: LinkUpdate, options: ChangeOptions = {}): Promise<Link> {
    return this.core.call('PATCH', () => `/api/operator/v1/links/${segment(code)}`, { body }, options);
  }

  /**
   * Read the clicks of a link by day.
   *
   * Returns the clicks of a link on each day (UTC) of a range, today included: without parameters, the last 30 days. The days, `clicks_before` and `clicks_after` add up to the link's clicks.
   */
  clicks(code: string, query: GetLinkClicksQuery = {}, options: CallOptions = {}): Promise<LinkClicks> {
    return this.core.call('GET', () => `/api/operator/v1/links/${segment(code)}/clicks`, { query }, options);
  }

  /**
   * List the events of a link.
   *
   * Returns the changes of a link, newest first, even if the link is deleted.
   */
  events(code: string, query: ListLinkEventsQuery = {}, options: CallOptions = {}): Pages<Event> {
    return this.core.list(() => `/api/operator/v1/links/${segment(code)}/events`, { limit: 1000, ...query }, options);
  }
}

export class OperatorResource extends Resource {
  /**
   * Read the operator key.
   *
   * Returns the operator key that sends the request.
   */
  get(options: CallOptions = {}): Promise<OperatorKey> {
    return this.core.call('GET', '/api/operator/v1/operator', {}, options);
  }
}

export class OperatorKeysResource extends Resource {
  /**
   * List the operator keys.
   *
   * Returns the operator keys, newest first, revoked and expired ones included. The server stores no secret, so it cannot show one.
   */
  list(query: ListOperatorKeysQuery = {}, options: CallOptions = {}): Pages<OperatorKey> {
    return this.core.list('/api/operator/v1/operator-keys', { limit: 1000, ...query }, options);
  }

  /**
   * Create an operator key.
   *
   * Creates an operator key. Its secret is in this response and nowhere else: the server stores only a hash of it.
   *
   * With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same secret again, as long as the created key is valid; with another operator key, 409 `secret-unavailable`.
   */
  create(body: OperatorKeyCreate, options: CreateOptions = {}): Promise<CreatedOperatorKey> {
    return this.core.call('POST', '/api/operator/v1/operator-keys', { body, isIdempotent: true }, options);
  }

  /**
   * Revoke an operator key.
   *
   * Deletes the rights of an operator key permanently; servers reject it at once. A key cannot revoke itself. Revoking a key again returns 404.
   */
  revoke(id: number, query: RevokeOperatorKeyQuery = {}, options: CallOptions = {}): Promise<void> {
    return this.core.call('DELETE', () => `/api/operator/v1/operator-keys/${segment(id)}`, { query, missing: 'operator-key-not-found' }, options);
  }
}

export class OwnersResource extends Resource {
  /**
   * Find owners.
   *
   * Returns the owners that meet all conditions, newest first.
   */
  list(query: ListOwnersQuery = {}, options: CallOptions = {}): Pages<Owner> {
    return this.core.list('/api/operator/v1/owners', { limit: 1000, ...query }, options);
  }

  /**
   * Create an owner.
   *
   * Creates an owner, with a first API key if `key` is given. Its secret is in this response and nowhere else: the server stores only a hash of it.
   *
   * With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same secret again, as long as the created key is valid; with another operator key, 409 `secret-unavailable`.
   */
  create(body: OwnerCreate, options: CreateOptions = {}): Promise<CreatedOwner> {
    return this.core.call('POST', '/api/operator/v1/owners', { body, isIdempotent: true }, options);
  }

  /**
   * Read an owner.
   *
   * Returns an owner, with the number of links.
   */
  get(id: number, options: CallOptions = {}): Promise<Owner> {
    return this.core.call('GET', () => `/api/operator/v1/owners/${segment(id)}`, {}, options);
  }

  /**
   * Change an owner.
   *
   * Changes the name, the plan, the external identifier or the fallback of an owner. Servers follow within a second.
   */
  update(id: number, body: OwnerUpdate, options: ChangeOptions = {}): Promise<Owner> {
    return this.core.call('PATCH', () => `/api/operator/v1/owners/${segment(id)}`, { body }, options);
  }

  /**
   * Delete an owner.
   *
   * Deletes a suspended owner with all links and keys, and retires the codes of the links, which are never used again. The history keeps the name of the owner.
   *
   * It does not depend on the connection: if it takes longer than 20 seconds, the response is 202 with the `Location` of its event, and so is that to a repetition while it runs, which returns 204 afterwards. If it was interrupted, the same request goes on under the same event.
   */
  delete(id: number, query: DeleteOwnerQuery = {}, options: ChangeOptions = {}): Promise<Running | undefined> {
    return this.core.call('DELETE', () => `/api/operator/v1/owners/${segment(id)}`, { query, missing: 'owner-not-found' }, options);
  }

  /**
   * Suspend an owner.
   *
   * Changes an owner so that the API rejects the owner's keys and the owner's links return 410, or 451 if the reason is `legal`, within a second. A new reason replaces the earlier one.
   */
  suspend(id: number, body: AuditRequest = {}, options: CreateOptions = {}): Promise<ChangeResult> {
    return this.core.call('POST', () => `/api/operator/v1/owners/${segment(id)}/suspend`, { body, isIdempotent: true }, options);
  }

  /**
   * Resume an owner.
   *
   * Changes a suspended owner back: keys and links work as before, within a second.
   */
  resume(id: number, body: AuditRequest = {}, options: CreateOptions = {}): Promise<ChangeResult> {
    return this.core.call('POST', () => `/api/operator/v1/owners/${segment(id)}/resume`, { body, isIdempotent: true }, options);
  }
}

export class PlansResource extends Resource {
  /**
   * List the plans.
   *
   * Returns all plans, in the order of their names.
   */
  list(query: ListPlansQuery = {}, options: CallOptions = {}): Pages<Plan> {
    return this.core.list('/api/operator/v1/plans', { limit: 1000, ...query }, options);
  }

  /**
   * Create a plan.
   *
   * Creates a plan. A limit that is absent is unlimited.
   */
  create(body: PlanCreate, options: CreateOptions = {}): Promise<Plan> {
    return this.core.call('POST', '/api/operator/v1/plans', { body, isIdempotent: true }, options);
  }

  /**
   * Read a plan.
   *
   * Returns a plan.
   */
  get(name: string, options: CallOptions = {}): Promise<Plan> {
    return this.core.call('GET', () => `/api/operator/v1/plans/${segment(name)}`, {}, options);
  }

  /**
   * Change a plan.
   *
   * Changes the given limits of a plan, and no others. Servers apply another rate within a second.
   */
  update(name: string, body: PlanUpdate, options: ChangeOptions = {}): Promise<Plan> {
    return this.core.call('PATCH', () => `/api/operator/v1/plans/${segment(name)}`, { body }, options);
  }

  /**
   * Delete a plan.
   *
   * Deletes a plan that no owner has.
   */
  delete(name: string, query: DeletePlanQuery = {}, options: ChangeOptions = {}): Promise<void> {
    return this.core.call('DELETE', () => `/api/operator/v1/plans/${segment(name)}`, { query, missing: 'plan-not-found' }, options);
  }
}

export class ReportsResource extends Resource {
  /**
   * Read the clicks of a range of days.
   *
   * Returns the clicks of all owners' links, or those of one owner, in a month or another range of days (UTC), summed up by day, campaign, link or owner. Links deleted since are one row, without a code or campaign; by campaign, it includes links without one.
   */
  clicks(query: GetClickReportQuery = {}, options: CallOptions = {}): Promise<ClickReport> {
    return this.core.call('GET', '/api/operator/v1/reports/clicks', { query }, options);
  }
}

export class StatusResource extends Resource {
  /**
   * Read whether all is well.
   *
   * Returns what the service has and does today, what waits, and what needs attention. It is cheap enough to be read every few seconds.
   */
  get(options: CallOptions = {}): Promise<Status> {
    return this.core.call('GET', '/api/operator/v1/status', {}, options);
  }
}

export class UsageResource extends Resource {
  /**
   * Read the usage of a month.
   *
   * Returns what each owner used in a month (UTC): requests, created links, links and clicks. Owners without usage have a row, too. Once the month is closed (`is_final`), its usage never changes.
   */
  get(query: GetUsageQuery = {}, options: CallOptions = {}): Promise<UsageReport> {
    return this.core.call('GET', '/api/operator/v1/usage', { query }, options);
  }
}

export class WebhooksResource extends Resource {
  /**
   * List the webhooks of an owner.
   *
   * Returns the webhooks of an owner, newest first, without their secrets.
   */
  list(id: number, query: ListWebhooksQuery = {}, options: CallOptions = {}): Pages<Webhook> {
    return this.core.list(() => `/api/operator/v1/owners/${segment(id)}/webhooks`, { limit: 1000, ...query }, options);
  }

  /**
   * Disable a webhook.
   *
   * Changes a webhook so that it receives nothing, which its owner cannot end. What waits is not sent.
   */
  disable(id: number, body: AuditRequest = {}, options: CreateOptions = {}): Promise<ChangeResult> {
    return this.core.call('POST', () => `/api/operator/v1/webhooks/${segment(id)}/disable`, { body, isIdempotent: true }, options);
  }

  /**
   * Enable a webhook.
   *
   * Enables a webhook, even one that the operator has disabled.
   */
  enable(id: number, body: AuditRequest = {}, options: CreateOptions = {}): Promise<ChangeResult> {
    return this.core.call('POST', () => `/api/operator/v1/webhooks/${segment(id)}/enable`, { body, isIdempotent: true }, options);
  }
}

/** The operations of Terse: run the service. */
export class TerseOperator extends Resource {
  readonly blocks = new BlocksResource(this.core);
  readonly domains = new DomainsResource(this.core);
  readonly events = new EventsResource(this.core);
  readonly keys = new KeysResource(this.core);
  readonly linkChanges = new LinkChangesResource(this.core);
  readonly links = new LinksResource(this.core);
  readonly operator = new OperatorResource(this.core);
  readonly operatorKeys = new OperatorKeysResource(this.core);
  readonly owners = new OwnersResource(this.core);
  readonly plans = new PlansResource(this.core);
  readonly reports = new ReportsResource(this.core);
  readonly status = new StatusResource(this.core);
  readonly usage = new UsageResource(this.core);
  readonly webhooks = new WebhooksResource(this.core);

  constructor(options: ClientOptions) {
    super(new Core(options));
  }
}
