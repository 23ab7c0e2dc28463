// The scenario of docs/contributing/generated-clients.md. TERSE_URL is the address of the server, TERSE_KEY
// an API key, TERSE_LIMITED_KEY one whose owner may send one request per minute.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { documentVersion, isProblem, problems, type ProblemCode, responseOf, Terse, type TerseProblem } from '@terse/client';

const baseUrl = process.env['TERSE_URL']!;
const destination = 'https://example.org/spring?utm_source=mail';
const terse = new Terse({ baseUrl, key: process.env['TERSE_KEY']! });

async function problem(call: Promise<unknown>, code: ProblemCode): Promise<TerseProblem> {
  const error: unknown = await call.then(() => undefined, (reason: unknown) => reason);
  assert(isProblem(error, code), String(error));
  return error;
}

const published = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as { info: { version: string } };
assert.equal(documentVersion, published.info.version);

const created = await terse.shorten({ url: destination, title: 'Spring catalogue', campaign: 'spring' });
assert.equal(created.destination_url, destination);
assert.equal(created.short_code.length, 7);
assert.equal(responseOf(created)?.headers.get('Location'), `${baseUrl}/api/v1/stats/${created.short_code}`);

const code = `ts-${randomBytes(8).toString('hex')}`;
const custom = await terse.shorten({ url: destination, custom_code: code }, { idempotencyKey: code });
assert.equal(custom.short_url, `${baseUrl}/${code}`);
assert.deepEqual(await terse.shorten({ url: destination, custom_code: code }, { idempotencyKey: code }), custom);

const first = await terse.listLinks({ limit: 2 }).page();
assert.deepEqual(
  first.data.map((link) => [link.short_code, link.campaign, link.clicks]),
  [[code, null, 0], [created.short_code, 'spring', 0]],
);
for (let index = 0; index < 3; index++) {
  await terse.shorten({ url: destination, campaign: code });
}
const paged: string[] = [];
for await (const link of terse.listLinks({ campaign: code, limit: 2 })) {
  paged.push(link.short_code);
}
assert.equal(new Set(paged).size, 3);
assert.deepEqual((await terse.listLinks({ campaign: code }).all()).map((link) => link.short_code), paged);

const redirect = await fetch(created.short_url, { redirect: 'manual' });
assert.deepEqual([redirect.status, redirect.headers.get('location')], [302, destination]);
const stats = await terse.getStats(created.short_code);
assert.deepEqual([stats.data.clicks, stats.data.is_active], [1, 1]);

const enabled = await terse.enableQrCode({ short_code: code, error_correction: 'Q', margin: 2 });
assert.equal(enabled.has_qr, 1);
const withQr = await terse.listQrCodes().page();
assert.deepEqual([withQr.data[0]?.short_code, withQr.data[0]?.title], [code, null]);

await problem(new Terse({ baseUrl, key: 'terse_unknownunknownunknown1' }).listLinks().all(), 'unauthorized');
await problem(terse.getStats('unknown'), 'link-not-found');
await problem(terse.getStats('a/../b?c#d%'), 'link-not-found');
const taken = await problem(terse.shorten({ url: destination, custom_code: code }), 'code-in-use');
assert(taken instanceof problems.CodeInUse);
assert.deepEqual([taken.status, taken.name, taken.response?.status], [409, 'CodeInUse', 409]);
assert.match(taken.requestId, /^[0-9a-f]{16}$/);
const invalid = await problem(terse.shorten({ url: 'example.org' }), 'invalid-input');
assert.deepEqual(invalid.errors.map((error) => error.pointer), ['/url']);

// No attempt to send such a request can succeed, so none is made.
const key = process.env['TERSE_KEY']!;
for (const options of [
  { baseUrl, key: '' },
  { baseUrl, key: 'terse_…' },
  { baseUrl: '127.0.0.1:8080', key },
  { baseUrl: 'localhost:8080', key },
]) {
  assert.throws(() => new Terse(options), TypeError);
}
assert((await new Terse({ baseUrl, key: `${key}\n` }).listLinks({ limit: 1 }).page()).data.length > 0);

const limited = new Terse({ baseUrl, key: process.env['TERSE_LIMITED_KEY']!, retryFor: 0 });
await limited.listLinks().all();
const throttled = await problem(limited.listLinks().all(), 'rate-limited');
assert(throttled.retryAfter! > 0);

const cancelled = new AbortController();
cancelled.abort(new Error('enough'));
await assert.rejects(terse.getStats(code, { signal: cancelled.signal }), /enough/);
