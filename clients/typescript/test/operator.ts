// A story on the operator's interface: a customer from creation to deletion. TERSE_OPERATOR_URL is the address of
// its listener, TERSE_OPERATOR_KEY an operator key of the role `admin`, TERSE_URL the address of the public server,
// and TERSE_KEY an API key of an owner.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { isProblem, Terse, type ProblemCode } from '@terse/client';
import { Operator } from '@terse/client/operator';

const baseUrl = process.env['TERSE_OPERATOR_URL']!;
const operator = new Operator({ baseUrl, key: process.env['TERSE_OPERATOR_KEY']! });
const name = `ts-${randomBytes(8).toString('hex')}`;
const host = `${name}.example`;

/** Waits for what servers follow within a second. */
const settled = async (what: string, check: () => Promise<boolean>) => {
  for (let wait = 0; wait < 50; wait++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(what);
};
const refused = (promise: Promise<unknown>, code: ProblemCode) =>
  assert.rejects(promise, (error) => isProblem(error, code));

assert.equal((await operator.getOperator()).role, 'admin');
await refused(new Operator({ baseUrl, key: process.env['TERSE_KEY']! }).getOperator(), 'unauthorized');

// A customer with a plan and a first key. A repeat of the creation returns the same secret.
const plan = await operator.createPlan({ name, max_links: 10, custom_codes: 1 }, { idempotencyKey: `${name}-plan` });
assert.deepEqual([plan.max_links, plan.links_per_day], [10, null]);
const request = { name, plan: name, api_key: { label: 'shop', scope: 'full' } } as const;
const created = await operator.createOwner(request, { idempotencyKey: name });
assert.deepEqual(await operator.createOwner(request, { idempotencyKey: name }), created);
const { owner, api_key: key } = created;
assert(key);
assert.equal((await operator.findKey({ secret: key.secret })).owner, name);
assert.deepEqual((await operator.listOwners({ name }).all()).map((one) => one.id), [owner.id]);
await refused(operator.createOwner({ name }), 'owner-exists');

// A domain of the customer's own.
const domain = await operator.createDomain({ host: host.toUpperCase(), owner: name });
assert.deepEqual([domain.host, domain.owner_id, domain.is_default], [host, owner.id, 1]);
const home = await operator.updateDomain(host, { home_url: 'https://example.org/' });
assert.equal(home.home_url, 'https://example.org/');
assert.deepEqual(await operator.listDomains({ owner: name }).all(), [home]);
await refused(operator.createDomain({ host, owner: 'default' }), 'domain-exists');

// The customer works with the key.
const terse = new Terse({ baseUrl: process.env['TERSE_URL']!, key: key.secret });
const { short_code: code } = await terse.shorten({ url: 'https://example.org/sale', custom_code: name });
await settled('short URLs have the domain', async () =>
  (await operator.getLink(code)).short_url === `http://${host}/${code}`,
);
await operator.changeLinks({ action: 'pause', selectors: { owner: name }, audit: { case_id: name } });
assert.deepEqual((await operator.listLinks({ owner: name, state: 'paused' }).all()).map((link) => link.short_code), [code]);

// A bill, and what happens if it is not paid.
const usage = (await operator.getUsage()).data.find((row) => row.owner_id === owner.id);
assert.deepEqual([usage?.links, usage?.links_created, usage?.clicks], [1, 1, 0]);
await refused(operator.deleteOwner(owner.id), 'owner-not-suspended');
assert.equal((await operator.suspendOwner(owner.id, { audit: { note: 'the bill is open', case_id: name } })).changed, 1);
await settled('the key is refused', async () =>
  terse.getStats(code).then(() => false, (error) => isProblem(error, 'owner-suspended')),
);
const actions = (await operator.listEvents({ case: name }).all()).map((event) => [event.action, event.actor.type]);
assert.deepEqual(actions, [['owner suspend', 'operator_key'], ['link pause', 'operator_key']]);
// Oldest first, page by page.
const followed = (await operator.listEvents({ case: name, after: 0, limit: 1 }).all()).map((event) => event.action);
assert.deepEqual(followed, ['link pause', 'owner suspend']);

await operator.deleteOwner(owner.id, { case: name });
await refused(operator.getOwner(owner.id), 'owner-not-found');
await refused(operator.getDomain(host), 'domain-not-found');
await refused(operator.getLink(code), 'link-not-found');
