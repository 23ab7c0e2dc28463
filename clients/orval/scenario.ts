// The scenario of docs/contributing/generated-clients.md with the client that orval generates. The client
// takes the server's address from the document; TERSE_URL is the same address, TERSE_KEY an API key,
// TERSE_LIMITED_KEY one whose owner may send one request per minute.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { enableQrCode, getStats, listLinks, listQrCodes, shorten } from './terse.js';

const destination = 'https://example.org/spring?utm_source=mail';

// The client does not send keys itself: each call passes the header in the options of `fetch`.
const withKey = (key: string): RequestInit => ({ headers: { 'X-API-Key': key } });

const me = withKey(process.env['TERSE_KEY'] ?? '');

// TypeScript derives the type of `data` from the status.
const created = await shorten(
  { url: destination, title: 'Spring catalogue', campaign: 'spring' },
  me,
);
assert(created.status === 201, JSON.stringify(created));
assert.equal(created.data.destination_url, destination);
assert.equal(created.data.short_code.length, 7);
const code = `ts-${randomBytes(8).toString('hex')}`;
const withCode = { url: destination, custom_code: code };
const custom = await shorten(withCode, me);
assert(custom.status === 201);
assert.equal(custom.data.short_url, `${process.env['TERSE_URL']}/${code}`);

const listed = await listLinks({ limit: 2 }, me);
assert(listed.status === 200);
assert.deepEqual(
  listed.data.data.map((link) => [link.short_code, link.campaign, link.clicks]),
  [[code, null, 0], [created.data.short_code, 'spring', 0]],
);

const redirect = await fetch(created.data.short_url, { redirect: 'manual' });
assert.deepEqual([redirect.status, redirect.headers.get('location')], [302, destination]);
const stats = await getStats(created.data.short_code, me);
assert(stats.status === 200);
assert.deepEqual([stats.data.data.clicks, stats.data.data.is_active], [1, 1]);

const enabled = await enableQrCode({ short_code: code, error_correction: 'Q', margin: 2 }, me);
assert(enabled.status === 201);
assert.equal(enabled.data.has_qr, 1);
const withQr = await listQrCodes({}, me);
assert(withQr.status === 200);
assert.deepEqual([withQr.data.data[0]?.short_code, withQr.data.data[0]?.title], [code, null]);

const refused = await listLinks({}, withKey('terse_unknownunknownunknown1'));
assert(refused.status === 401);
assert.equal(refused.data.code, 'unauthorized');
const missing = await getStats('unknown', me);
assert(missing.status === 404);
assert.equal(missing.data.code, 'link-not-found');
const again = await shorten(withCode, me);
assert(again.status === 409);
assert.equal(again.data.code, 'code-in-use');
assert.equal(again.headers.get('X-Request-Id'), again.data.request_id);
const invalid = await shorten({ url: 'example.org' }, me);
assert(invalid.status === 422);
assert.equal(invalid.data.code, 'invalid-input');
assert.deepEqual(invalid.data.errors?.map((error) => error.pointer), ['/url']);

const limited = withKey(process.env['TERSE_LIMITED_KEY'] ?? '');
assert((await listLinks({}, limited)).status === 200);
const throttled = await listLinks({}, limited);
assert(throttled.status === 429);
assert.deepEqual([throttled.data.status, throttled.data.code], [429, 'rate-limited']);
assert(Number(throttled.headers.get('Retry-After')) > 0);
