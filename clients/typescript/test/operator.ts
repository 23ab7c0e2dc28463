// A story on the operator's interface: a customer from creation to deletion. TERSE_OPERATOR_URL is the address of
// its listener, TERSE_OPERATOR_KEY an operator key of the role `admin`, TERSE_URL the address of the public server,
// and TERSE_KEY an API key of an owner.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { isProblem, Terse, type ProblemCode } from '@terse/client';
import { TerseOperator } from '@terse/client/operator';

const baseUrl = process.env['TERSE_OPERATOR_URL']!;
const operator = new TerseOperator({ baseUrl, key: process.env['TERSE_OPERATOR_KEY']! });
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

assert.equal((await operator.operator.get()).role, 'admin');
await refused(new TerseOperator({ baseUrl, key: process.env['TERSE_KEY']! }).operator.get(), 'unauthorized');

// A customer with a plan and a first key. A repeat of the creation returns the same secret.
const plan = await operator.plans.create({ name, max_links: 10, custom_codes: true }, { idempotencyKey: `${name}-plan` });
assert.deepEqual([plan.max_links, plan.links_per_day], [10, null]);
const request = { name, plan_name: name, key: { label: 'shop', scope: 'full' } } as const;
const created = await operator.owners.create(request, { idempotencyKey: name });
assert.deepEqual(await operator.owners.create(request, { idempotencyKey: name }), created);
const { key, ...owner } = created;
assert(key);
assert.equal((await operator.keys.find({ secret: key.secret })).owner_name, name);
assert.deepEqual((await operator.owners.list({ name }).all()).map((one) => one.id), [owner.id]);
await refused(operator.owners.create({ name }), 'owner-exists');

// A domain of the customer's own.
const domain = await operator.domains.create({ host: host.toUpperCase(), owner_id: owner.id });
assert.deepEqual([domain.host, domain.owner_id, domain.is_default], [host, owner.id, true]);
const home = await operator.domains.update(host, { home_url: 'https://example.org/' });
assert.equal(home.home_url, 'https://example.org/');
assert.deepEqual(await operator.domains.list({ owner_id: owner.id }).all(), [home]);
await refused(operator.domains.create({ host, owner_id: owner.id }), 'domain-exists');

// The customer works with the key.
const terse = new Terse({ baseUrl: process.env['TERSE_URL']!, key: key.secret });
const { short_code: code } = await terse.shorten({ url: 'https://example.org/sale', custom_code: name });
await settled('short URLs have the domain', async () =>
  (await operator.links.get(code)).short_url === `http://${host}/${code}`,
);
await operator.linkChanges.create({ action: 'pause', selectors: { owner_id: owner.id }, audit: { case_id: name } });
assert.deepEqual((await operator.links.list({ owner_id: owner.id, state: 'paused' }).all()).map((link) => link.short_code), [code]);

// A bill, and what happens if it is not paid.
const usage = (await operator.usage.get()).data.find((row) => row.owner_id === owner.id);
assert.deepEqual([usage?.links, usage?.links_created, usage?.clicks], [1, 1, 0]);
await refused(operator.owners.delete(owner.id), 'owner-not-suspended');
assert.equal((await operator.owners.suspend(owner.id, { audit: { note: 'the bill is open', case_id: name } })).changed, 1);
await settled('the key is refused', async () =>
  terse.getStats(code).then(() => false, (error) => isProblem(error, 'owner-suspended')),
);
const actions = (await operator.events.list({ case_id: name }).all()).map((event) => [event.action, event.actor.type]);
assert.deepEqual(actions, [['owner suspend', 'operator_key'], ['link pause', 'operator_key']]);
// Oldest first, page by page.
const followed = (await operator.events.list({ case_id: name, after_id: 0, limit: 1 }).all()).map((event) => event.action);
assert.deepEqual(followed, ['link pause', 'owner suspend']);

await operator.owners.delete(owner.id, { case_id: name });
await refused(operator.owners.get(owner.id), 'owner-not-found');
await refused(operator.domains.get(host), 'domain-not-found');
await refused(operator.links.get(code), 'link-not-found');
