// A story on the management interface. TERSE_URL is the address of the server, TERSE_KEY an API key with the
// scope `full`.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { etagOf, isProblem, Terse } from '@terse/client';
import { Manage, type LinkBatchItem, type LinkCreate, type Link } from '@terse/client/manage';

const options = { baseUrl: process.env['TERSE_URL']!, key: process.env['TERSE_KEY']! };
const terse = new Terse(options);
const manage = new Manage(options);
const campaign = `ts-${randomBytes(8).toString('hex')}`;

const owner = await manage.getOwner();
assert.deepEqual([owner.name, owner.plan.name, owner.key.scope], ['default', 'unlimited', 'full']);

for (let index = 0; index < 5; index++) {
  await terse.shorten({ url: `https://example.org/${index}`, campaign });
}
const found: Link[] = await manage.listLinks({ campaign, limit: 2 }).all();
assert.deepEqual(
  found.map((link) => link.destination_url),
  [4, 3, 2, 1, 0].map((index) => `https://example.org/${index}`),
);
const code = found[0]!.short_code;

// Two programs have read the same version; the second change is refused.
const mine = await manage.getLink(code);
const theirs = await manage.getLink(code);
assert.match(etagOf(mine) ?? '', /^".+"$/);
const changed = await manage.updateLink(code, { title: 'Spring', audit: { note: 'a typing error' } }, { ifMatch: mine });
assert.deepEqual([changed.title, changed.campaign], ['Spring', campaign]);
await assert.rejects(manage.updateLink(code, { title: 'Summer' }, { ifMatch: theirs }), (error) =>
  isProblem(error, 'precondition-failed'),
);
const cleared = await manage.updateLink(code, { title: null }, { ifMatch: changed });
assert.equal(cleared.title, null);
await assert.rejects(manage.updateLink(code, {}, { ifMatch: { title: 'from elsewhere' } }), TypeError);

// A paused link does not redirect, until its owner ends the pause.
const shortUrl = cleared.short_url;
const status = async () => (await fetch(shortUrl, { redirect: 'manual' })).status;
const settled = async (expected: number) => {
  for (let wait = 0; wait < 50 && (await status()) !== expected; wait++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.equal(await status(), expected);
};
const paused = await manage.updateLink(code, { is_paused: 1 });
assert.deepEqual([paused.state, paused.is_active], ['paused', 0]);
assert.deepEqual((await manage.listLinks({ campaign, state: 'paused' }).all()).map((link) => link.short_code), [code]);
await settled(410);
const unpaused = await manage.updateLink(code, { is_paused: 0 });
assert.equal(etagOf(unpaused), etagOf(cleared));
await settled(302);

const days = await manage.getLinkClicks(code, { from: '2026-01-01', to: '2026-01-31' });
assert.equal(days.data.length, 31);
const report = await manage.getClickReport({ by: 'link' });
assert(Array.isArray(report.data));
const events = await manage.listLinkEvents(code).all();
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
const send = async (): Promise<LinkBatchItem[]> => {
  const { data } = await manage.createLinks({ links }, { idempotencyKey: `${campaign}-batch` });
  // The repetition replays what exists, and creates what failed for the moment.
  return data.some((item) => item.status === 503) ? send() : data;
};
const items = await send();
assert.deepEqual(
  items.map((item) => item.status),
  links.map((_, number) => (number === 17 ? 422 : number === 19 ? 409 : 201)),
);
assert.deepEqual(
  items[17]?.problem?.errors?.map((error) => error.pointer),
  ['/links/17/destination_url'],
);
for (const [number, { link }] of items.entries()) {
  assert(!link || link.destination_url === links[number]?.destination_url);
}
const created = items.map((item) => item.link);
assert.deepEqual(
  (await send()).map((item) => item.link),
  created,
);
const foundCodes = (await manage.listLinks({ campaign: `${campaign}-batch` }).all()).map((link) => link.short_code);
assert.deepEqual(foundCodes.sort(), created.flatMap((link) => link?.short_code ?? []).sort());

const keys = await manage.listKeys({ limit: 1 }).all();
assert(keys.some((key) => key.id === owner.key.id));
const labelled = await manage.updateKey(owner.key.id, { label: 'story' });
assert.equal((await manage.getKey(owner.key.id)).label, labelled.label);
await assert.rejects(manage.revokeKey(owner.key.id), (error) => isProblem(error, 'own-key'));

// A new key replaces another one. A repeat of its creation returns the same secret.
const request = { label: campaign, scope: 'full' } as const;
const rotated = await manage.createKey(request, { idempotencyKey: campaign });
assert.deepEqual(await manage.createKey(request, { idempotencyKey: campaign }), rotated);
const replacement = new Manage({ ...options, key: rotated.secret });
assert.equal((await replacement.getOwner()).key.label, campaign);
assert.equal(await manage.revokeKey(rotated.id, { note: 'the story is over' }), undefined);
assert.notEqual((await manage.getKey(rotated.id)).revoked_at, null);

assert.equal(await manage.deleteLink(code, { reason: 'owner-request' }, { ifMatch: cleared }), undefined);
await assert.rejects(manage.getLink(code), (error) => isProblem(error, 'link-not-found'));
await assert.rejects(manage.deleteLink(code), (error) => isProblem(error, 'link-not-found') && error.status === 404);
