// A story on the management interface. TERSE_URL is the address of the server, TERSE_KEY an API key with the
// scope `full`.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { isProblem, problems, Terse, type Link, type LinkCreate } from '@terse/client';

const options = { baseUrl: process.env['TERSE_URL']!, key: process.env['TERSE_KEY']! };
const terse = new Terse(options);
const campaign = `ts-${randomBytes(8).toString('hex')}`;

const owner = await terse.owner.get();
assert.deepEqual([owner.name, owner.plan.name, owner.key.scope], ['default', 'unlimited', 'full']);

for (let index = 0; index < 5; index++) {
  await terse.shorten({ url: `https://example.org/${index}`, campaign });
}
const found: Link[] = await terse.links.list({ campaign, limit: 2 }).all();
assert.deepEqual(
  found.map((link) => link.destination_url),
  [4, 3, 2, 1, 0].map((index) => `https://example.org/${index}`),
);
const code = found[0]!.short_code;

// Two programs have read the same version; the second change is refused.
const mine = await terse.links.get(code);
const theirs = await terse.links.get(code);
assert.match(mine.etag, /^".+"$/);
const changed = await terse.links.update(code, { title: 'Spring', audit: { note: 'a typing error' } }, { ifMatch: mine });
assert.deepEqual([changed.title, changed.campaign], ['Spring', campaign]);
await assert.rejects(terse.links.update(code, { title: 'Summer' }, { ifMatch: theirs }), (error) =>
  isProblem(error, 'precondition-failed'),
);
const cleared = await terse.links.update(code, { title: null }, { ifMatch: changed });
assert.equal(cleared.title, null);

// A paused link does not redirect, until its owner ends the pause.
const shortUrl = cleared.short_url;
const status = async () => (await fetch(shortUrl, { redirect: 'manual' })).status;
const settled = async (expected: number) => {
  for (let wait = 0; wait < 50 && (await status()) !== expected; wait++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.equal(await status(), expected);
};
const paused = await terse.links.update(code, { is_paused: true });
assert.deepEqual([paused.state, paused.is_active], ['paused', false]);
assert.deepEqual((await terse.links.list({ campaign, state: 'paused' }).all()).map((link) => link.short_code), [code]);
await settled(410);
const unpaused = await terse.links.update(code, { is_paused: false });
assert.equal(unpaused.etag, cleared.etag);
await settled(302);

const days = await terse.links.clicks(code, { from_day: '2026-01-01', to_day: '2026-01-31' });
assert.equal(days.data.length, 31);
const report = await terse.reports.clicks({ by: 'link' });
assert(Array.isArray(report.data));
const events = await terse.links.events(code).all();
assert.deepEqual(
  events.map((event) => [event.action, event.audit.note]),
  [null, null, null, 'a typing error'].map((note) => ['link edit', note]),
);

// A thousand links with one request. Each has a result of its own.
const links = Array.from({ length: 1000 }, (_, number): LinkCreate => ({
  destination_url: number === 17 ? 'nowhere' : `https://example.org/${number}`,
  campaign: `${campaign}-batch`,
  ...([18, 19].includes(number) ? { custom_code: campaign } : {}),
}));
const send = () => terse.links.createMany(links, { idempotencyKey: `${campaign}-batch` });
const { results, failed } = await send();
assert.deepEqual(failed.map(({ index }) => index), [17, 19]);
assert(failed[0]!.error instanceof problems.InvalidInput && failed[1]!.error instanceof problems.CodeInUse);
assert.deepEqual(failed[0]!.error.errors.map((error) => error.pointer), ['/links/17/destination_url']);
for (const { index, request, link } of results) {
  assert(request === links[index] && (!link || link.destination_url === request.destination_url));
}
const created = results.map((result) => result.link);
assert.deepEqual((await send()).results.map((result) => result.link), created);
// A version from a batch is as good as one that was read.
const first = created[0]!;
await terse.links.update(first.short_code, { title: 'first' }, { ifMatch: first });
const foundCodes = (await terse.links.list({ campaign: `${campaign}-batch` }).all()).map((link) => link.short_code);
assert.deepEqual(foundCodes.sort(), created.flatMap((link) => link?.short_code ?? []).sort());

const keys = await terse.keys.list({ limit: 1 }).all();
const own = keys.find((key) => key.id === owner.key.id)!;
const labelled = await terse.keys.update(own.id, { label: 'story' }, { ifMatch: own });
assert.equal((await terse.keys.get(owner.key.id)).label, labelled.label);
await assert.rejects(terse.keys.revoke(owner.key.id), (error) => isProblem(error, 'own-key'));

// A new key replaces another one. A repeat of its creation returns the same secret.
const request = { label: campaign, scope: 'full' } as const;
const rotated = await terse.keys.create(request, { idempotencyKey: campaign });
assert.deepEqual(await terse.keys.create(request, { idempotencyKey: campaign }), rotated);
const replacement = new Terse({ ...options, key: rotated.secret });
assert.equal((await replacement.owner.get()).key.label, campaign);
assert.equal(await terse.keys.revoke(rotated.id, { note: 'the story is over' }), undefined);
assert.notEqual((await terse.keys.get(rotated.id)).revoked_at, null);

assert.equal(await terse.links.delete(code, { reason: 'owner-request' }, { ifMatch: cleared }), undefined);
await assert.rejects(terse.links.get(code), (error) => isProblem(error, 'link-not-found'));
await assert.rejects(terse.links.delete(code), (error) => isProblem(error, 'link-not-found') && error.status === 404);
