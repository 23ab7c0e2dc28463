// Generated from openapi/operator.json by scripts/clients --generate.
import { Client, type CallOptions, segment, type ChangeOptions, type CreateOptions, type Pages } from './client.js';
import type { operations, AuditRequest, Block, BlockCheck, BlockCreate, ChangeResult, ClickReport, CreatedKey, CreatedOperatorKey, CreatedOwner, Domain, DomainCreate, DomainUpdate, Event, Key, KeyCreate, KeySearch, KeyUpdate, Link, LinkChange, LinkChangeResult, LinkClicks, LinkUpdate, OperatorKey, OperatorKeyCreate, Owner, OwnerCreate, OwnerUpdate, Plan, PlanCreate, PlanUpdate, UndoResult, UsageReport } from './types/operator.js';

export type { Actor, Audit, AuditRequest, Block, BlockCheck, BlockCreate, BlockList, ChangeResult, ClickReport, ClickReportRow, CreatedKey, CreatedOperatorKey, CreatedOwner, DayClicks, Domain, DomainCreate, DomainList, DomainUpdate, Event, EventAudit, EventList, FieldError, Key, KeyCreate, KeyList, KeySearch, KeyUpdate, Link, LinkChange, LinkChangeResult, LinkClicks, LinkList, LinkSelectors, LinkUpdate, OperatorKey, OperatorKeyCreate, OperatorKeyList, Owner, OwnerCreate, OwnerKeyCreate, OwnerList, OwnerUpdate, OwnerUsage, Plan, PlanCreate, PlanList, PlanUpdate, Problem, UndoResult, UsageReport } from './types/operator.js';

/** The version of the document from which this file was generated. */
export const documentVersion = '0.1.0';

type Query<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;

/** The operations of Terse: run the service. */
export class Operator extends Client {
  /**
   * Find owners.
   *
   * Returns the owners that meet all conditions, newest first.
   */
  listOwners(query: Omit<Query<'listOwners'>, 'cursor'> = {}, options: CallOptions = {}): Pages<Owner> {
    return this.list('/api/operator/v1/owners', { limit: 1000, ...query }, options);
  }

  /**
   * Create an owner.
   *
   * Creates an owner, with a first API key if `api_key` is given. Its secret is in this response and nowhere else: the server stores only a hash of it.
   *
   * With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same secret again, as long as the created key is valid; with another operator key, 409 `secret-unavailable`.
   */
  createOwner(body: OwnerCreate, options: CreateOptions = {}): Promise<CreatedOwner> {
    return this.call({ method: 'POST', path: '/api/operator/v1/owners', body, isIdempotent: true }, options);
  }

  /**
   * Read an owner.
   *
   * Returns an owner, with the number of links.
   */
  getOwner(id: number, options: CallOptions = {}): Promise<Owner> {
    return this.call({ method: 'GET', path: `/api/operator/v1/owners/${segment(id)}` }, options);
  }

  /**
   * Change an owner.
   *
   * Changes the name, the plan or the fallback of an owner. Servers follow within a second.
   */
  updateOwner(id: number, body: OwnerUpdate, options: CallOptions = {}): Promise<Owner> {
    return this.call({ method: 'PATCH', path: `/api/operator/v1/owners/${segment(id)}`, body }, options);
  }

  /**
   * Delete an owner.
   *
   * Deletes a suspended owner with all links and keys, and retires the codes of the links, which are never used again. Returns when it is done. If the client disconnects, the deletion continues. The history keeps the name of the owner.
   */
  deleteOwner(id: number, query: Query<'deleteOwner'> = {}, options: CallOptions = {}): Promise<void> {
    return this.call({ method: 'DELETE', path: `/api/operator/v1/owners/${segment(id)}`, query }, options);
  }

  /**
   * Suspend an owner.
   *
   * Changes an owner so that the API rejects the owner's keys and the owner's links return 410, or 451 if the reason is `legal`, within a second. A new reason replaces the earlier one.
   */
  suspendOwner(id: number, body: AuditRequest = {}, options: CallOptions = {}): Promise<ChangeResult> {
    return this.call({ method: 'POST', path: `/api/operator/v1/owners/${segment(id)}/suspend`, body }, options);
  }

  /**
   * Resume an owner.
   *
   * Changes a suspended owner back: keys and links work as before, within a second.
   */
  resumeOwner(id: number, body: AuditRequest = {}, options: CallOptions = {}): Promise<ChangeResult> {
    return this.call({ method: 'POST', path: `/api/operator/v1/owners/${segment(id)}/resume`, body }, options);
  }

  /**
   * List the keys of an owner.
   *
   * Returns the API keys of an owner, newest first, revoked and expired ones included. The server stores no secret, so it cannot show one.
   */
  listKeys(id: number, query: Omit<Query<'listKeys'>, 'cursor'> = {}, options: CallOptions = {}): Pages<Key> {
    return this.list(`/api/operator/v1/owners/${segment(id)}/keys`, { limit: 1000, ...query }, options);
  }

  /**
   * Create a key of an owner.
   *
   * Creates an API key. Its secret is in this response and nowhere else: the server stores only a hash of it. An owner has at most 100 valid keys.
   *
   * With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same secret again, as long as the created key is valid; with another operator key, 409 `secret-unavailable`.
   */
  createKey(id: number, body: KeyCreate, options: CreateOptions = {}): Promise<CreatedKey> {
    return this.call({ method: 'POST', path: `/api/operator/v1/owners/${segment(id)}/keys`, body, isIdempotent: true }, options);
  }

  /**
   * Read a key of any owner.
   *
   * Returns an API key with its owner, without its secret.
   */
  getKey(id: number, options: CallOptions = {}): Promise<Key> {
    return this.call({ method: 'GET', path: `/api/operator/v1/keys/${segment(id)}` }, options);
  }

  /**
   * Change a key.
   *
   * Changes the label or the expiry of an API key. Servers follow within a second: if the new expiry has passed, the key is invalid at once.
   */
  updateKey(id: number, body: KeyUpdate, options: CallOptions = {}): Promise<Key> {
    return this.call({ method: 'PATCH', path: `/api/operator/v1/keys/${segment(id)}`, body }, options);
  }

  /**
   * Revoke a key.
   *
   * Deletes the rights of an API key permanently; servers reject it within a second. Revoking a key again returns 404.
   */
  revokeKey(id: number, query: Query<'revokeKey'> = {}, options: CallOptions = {}): Promise<void> {
    return this.call({ method: 'DELETE', path: `/api/operator/v1/keys/${segment(id)}`, query }, options);
  }

  /**
   * Find a key by its secret.
   *
   * Returns the API key with this secret and its owner, even if the key is no longer valid. The secret stands in the body, so that no log has it.
   */
  findKey(body: KeySearch, options: CallOptions = {}): Promise<Key> {
    return this.call({ method: 'POST', path: '/api/operator/v1/key-search', body }, options);
  }

  /**
   * List the plans.
   *
   * Returns all plans, in the order of their names.
   */
  listPlans(query: Omit<Query<'listPlans'>, 'cursor'> = {}, options: CallOptions = {}): Pages<Plan> {
    return this.list('/api/operator/v1/plans', { limit: 1000, ...query }, options);
  }

  /**
   * Create a plan.
   *
   * Creates a plan. A limit that is absent is unlimited.
   */
  createPlan(body: PlanCreate, options: CreateOptions = {}): Promise<Plan> {
    return this.call({ method: 'POST', path: '/api/operator/v1/plans', body, isIdempotent: true }, options);
  }

  /**
   * Read a plan.
   *
   * Returns a plan.
   */
  getPlan(name: string, options: CallOptions = {}): Promise<Plan> {
    return this.call({ method: 'GET', path: `/api/operator/v1/plans/${segment(name)}` }, options);
  }

  /**
   * Change a plan.
   *
   * Changes the given limits of a plan, and no others. Servers apply another rate within a second.
   */
  updatePlan(name: string, body: PlanUpdate, options: CallOptions = {}): Promise<Plan> {
    return this.call({ method: 'PATCH', path: `/api/operator/v1/plans/${segment(name)}`, body }, options);
  }

  /**
   * Delete a plan.
   *
   * Deletes a plan that no owner has.
   */
  deletePlan(name: string, query: Query<'deletePlan'> = {}, options: CallOptions = {}): Promise<void> {
    return this.call({ method: 'DELETE', path: `/api/operator/v1/plans/${segment(name)}`, query }, options);
  }

  /**
   * Find links of all owners.
   *
   * Returns the links that meet all conditions, newest first.
   *
   * One request reads at most 20,000 links, so a page may have fewer than `limit`, even none: only a `next_cursor` of `null` ends the list. Links created meanwhile cause neither duplicates nor gaps.
   */
  listLinks(query: Omit<Query<'listLinks'>, 'cursor'> = {}, options: CallOptions = {}): Pages<Link> {
    return this.list('/api/operator/v1/links', { limit: 1000, ...query }, options);
  }

  /**
   * Read a link.
   *
   * Returns a link with its clicks, its state and its owner. Deleted links are missing.
   */
  getLink(code: string, options: CallOptions = {}): Promise<Link> {
    return this.call({ method: 'GET', path: `/api/operator/v1/links/${segment(code)}` }, options);
  }

  /**
   * Change a link.
   *
   * Changes the given properties of a link, and no others. Redirects follow within a second. An unchanged value is not checked again. `POST /link-changes` disables and deletes links.
   *
   * With `If-Match`, the link is only changed if its `ETag` is still one of those.
   */
  updateLink(code: string, body: LinkUpdate, options: ChangeOptions = {}): Promise<Link> {
    return this.call({ method: 'PATCH', path: `/api/operator/v1/links/${segment(code)}`, body }, options);
  }

  /**
   * Read the clicks of a link by day.
   *
   * Returns the clicks of a link on each day (UTC) of a range, today included: without parameters, the last 30 days. The days, `clicks_before` and `clicks_after` add up to the link's clicks.
   */
  getLinkClicks(code: string, query: Query<'getLinkClicks'> = {}, options: CallOptions = {}): Promise<LinkClicks> {
    return this.call({ method: 'GET', path: `/api/operator/v1/links/${segment(code)}/clicks`, query }, options);
  }

  /**
   * List the events of a link.
   *
   * Returns the changes of a link, newest first, even if the link is deleted.
   */
  listLinkEvents(code: string, query: Omit<Query<'listLinkEvents'>, 'cursor'> = {}, options: CallOptions = {}): Pages<Event> {
    return this.list(`/api/operator/v1/links/${segment(code)}/events`, { limit: 1000, ...query }, options);
  }

  /**
   * Change any number of links.
   *
   * Changes the links that all selectors choose: disables, enables, pauses, unpauses or deletes them. Redirects follow within a second. Codes that no link has are named, and the other links change.
   *
   * The change is one event, made in slices, and the response follows when all are done. If the client disconnects, the change continues. If the operator key is revoked or the server shuts down, the change stops after the slice in progress; the event counts what was done, and the same request does the rest.
   */
  changeLinks(body: LinkChange, options: CallOptions = {}): Promise<LinkChangeResult> {
    return this.call({ method: 'POST', path: '/api/operator/v1/link-changes', body }, options);
  }

  /**
   * List the patterns in force.
   *
   * Returns the operator's own patterns, newest first, and then those of imported lists and of the block file. Expired ones are missing.
   */
  listBlocks(query: Omit<Query<'listBlocks'>, 'cursor'> = {}, options: CallOptions = {}): Pages<Block> {
    return this.list('/api/operator/v1/blocks', { limit: 1000, ...query }, options);
  }

  /**
   * Block destinations, or make an exception.
   *
   * Changes the rule of a pattern: `block` blocks the destinations that it matches, and `allow` makes them exceptions. Servers follow within a second. The most specific pattern decides. Repeating the request changes nothing.
   */
  createBlocks(body: BlockCreate, options: CallOptions = {}): Promise<ChangeResult> {
    return this.call({ method: 'POST', path: '/api/operator/v1/blocks', body }, options);
  }

  /**
   * Remove a pattern.
   *
   * Deletes a pattern of the operator's own; those of imported lists stay. Servers follow within a second. Removing it again returns 404.
   */
  deleteBlock(query: Query<'deleteBlock'>, options: CallOptions = {}): Promise<void> {
    return this.call({ method: 'DELETE', path: '/api/operator/v1/blocks', query }, options);
  }

  /**
   * Check whether a destination is blocked.
   *
   * Returns whether a URL or a host is blocked, and the pattern that decides it.
   */
  checkBlock(query: Query<'checkBlock'>, options: CallOptions = {}): Promise<BlockCheck> {
    return this.call({ method: 'GET', path: '/api/operator/v1/block-check', query }, options);
  }

  /**
   * List the domains.
   *
   * Returns the domains of all owners or of one, newest first.
   */
  listDomains(query: Omit<Query<'listDomains'>, 'cursor'> = {}, options: CallOptions = {}): Pages<Domain> {
    return this.list('/api/operator/v1/domains', { limit: 1000, ...query }, options);
  }

  /**
   * Add a domain to an owner.
   *
   * Creates a domain: a host of the owner's own, which serves the owner's links and nothing else. Servers follow within a second. The first domain of an owner is the default one, which `short_url` and QR codes have.
   *
   * If destinations or fallbacks lead to the host already, the response is 409 `domain-has-destinations`, unless `accept_destinations` is 1.
   */
  createDomain(body: DomainCreate, options: CreateOptions = {}): Promise<Domain> {
    return this.call({ method: 'POST', path: '/api/operator/v1/domains', body, isIdempotent: true }, options);
  }

  /**
   * Read a domain.
   *
   * Returns a domain, with its owner.
   */
  getDomain(host: string, options: CallOptions = {}): Promise<Domain> {
    return this.call({ method: 'GET', path: `/api/operator/v1/domains/${segment(host)}` }, options);
  }

  /**
   * Change a domain.
   *
   * Changes where visitors of the start page go, or makes the domain the default one of its owner. Servers follow within a second. Links still answer at all domains of the owner.
   */
  updateDomain(host: string, body: DomainUpdate, options: CallOptions = {}): Promise<Domain> {
    return this.call({ method: 'PATCH', path: `/api/operator/v1/domains/${segment(host)}`, body }, options);
  }

  /**
   * Remove a domain.
   *
   * Deletes a domain. Servers follow within a second: the host is then unknown, and free for any owner. Links stay, and answer at the base URL and the owner's other domains. Removing it again returns 404.
   */
  deleteDomain(host: string, query: Query<'deleteDomain'> = {}, options: CallOptions = {}): Promise<void> {
    return this.call({ method: 'DELETE', path: `/api/operator/v1/domains/${segment(host)}`, query }, options);
  }

  /**
   * List events.
   *
   * Returns what was changed, by whom, when and why, newest first. With `after`, it returns later events, oldest first: events become visible in the order of their identifiers, so a program that follows the pages to the end, and later continues after the last one it has seen, misses none.
   */
  listEvents(query: Omit<Query<'listEvents'>, 'cursor'> = {}, options: CallOptions = {}): Pages<Event> {
    return this.list('/api/operator/v1/events', { limit: 1000, ...query }, options);
  }

  /**
   * Read an event.
   *
   * Returns an event.
   */
  getEvent(id: number, options: CallOptions = {}): Promise<Event> {
    return this.call({ method: 'GET', path: `/api/operator/v1/events/${segment(id)}` }, options);
  }

  /**
   * Undo an event.
   *
   * Changes everything back that an event changed and nothing has changed since. Only events that disable, enable, pause, unpause or edit links, suspend or resume owners, change patterns, or change domains can be undone; the last only with the role `admin`. The undo is itself an event. If the client disconnects, it continues.
   */
  undoEvent(id: number, body: AuditRequest = {}, options: CallOptions = {}): Promise<UndoResult> {
    return this.call({ method: 'POST', path: `/api/operator/v1/events/${segment(id)}/undo`, body }, options);
  }

  /**
   * Read the usage of a month.
   *
   * Returns what each owner used in a month (UTC): requests, created links, links and clicks. Owners without usage have a row, too. Once the month is closed (`is_final` 1), its usage never changes.
   */
  getUsage(query: Query<'getUsage'> = {}, options: CallOptions = {}): Promise<UsageReport> {
    return this.call({ method: 'GET', path: '/api/operator/v1/usage', query }, options);
  }

  /**
   * Read the clicks of a month.
   *
   * Returns the clicks of all owners' links in a month (UTC), or those of one owner, summed up by owner, campaign, link or several of them. Groups without clicks are missing. Deleted links are one row per owner, without a code.
   */
  getClickReport(query: Query<'getClickReport'> = {}, options: CallOptions = {}): Promise<ClickReport> {
    return this.call({ method: 'GET', path: '/api/operator/v1/reports/clicks', query }, options);
  }

  /**
   * Read the operator key.
   *
   * Returns the operator key that sends the request.
   */
  getOperator(options: CallOptions = {}): Promise<OperatorKey> {
    return this.call({ method: 'GET', path: '/api/operator/v1/operator' }, options);
  }

  /**
   * List the operator keys.
   *
   * Returns the operator keys, newest first, revoked and expired ones included. The server stores no secret, so it cannot show one.
   */
  listOperatorKeys(query: Omit<Query<'listOperatorKeys'>, 'cursor'> = {}, options: CallOptions = {}): Pages<OperatorKey> {
    return this.list('/api/operator/v1/operator-keys', { limit: 1000, ...query }, options);
  }

  /**
   * Create an operator key.
   *
   * Creates an operator key. Its secret is in this response and nowhere else: the server stores only a hash of it.
   *
   * With `Idempotency-Key`, a repetition with the same operator key within 24 hours returns the same secret again, as long as the created key is valid; with another operator key, 409 `secret-unavailable`.
   */
  createOperatorKey(body: OperatorKeyCreate, options: CreateOptions = {}): Promise<CreatedOperatorKey> {
    return this.call({ method: 'POST', path: '/api/operator/v1/operator-keys', body, isIdempotent: true }, options);
  }

  /**
   * Revoke an operator key.
   *
   * Deletes the rights of an operator key permanently; servers reject it at once. A key cannot revoke itself. Revoking a key again returns 404.
   */
  revokeOperatorKey(id: number, query: Query<'revokeOperatorKey'> = {}, options: CallOptions = {}): Promise<void> {
    return this.call({ method: 'DELETE', path: `/api/operator/v1/operator-keys/${segment(id)}`, query }, options);
  }
}
