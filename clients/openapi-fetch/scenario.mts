// The scenario of docs/contributing/generated-clients.md with the client openapi-fetch and the types that
// openapi-typescript generates. TERSE_URL is the address of the server, TERSE_KEY an API key,
// TERSE_LIMITED_KEY one whose owner may send one request per minute.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import createClient from 'openapi-fetch';
import type { paths } from './terse.js';

const baseUrl = process.env['TERSE_URL'];
const key = process.env['TERSE_KEY'];
const destination = 'https://example.org/spring?utm_source=mail';

const clientWith = (key: string | undefined) =>
  createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } });

const terse = clientWith(key);

const created = await terse.POST('/api/v1/shorten', {
  body: { url: destination, title: 'Spring catalogue', campaign: 'spring' },
});
assert(created.data, JSON.stringify(created.error));
assert.equal(created.data.destination_url, destination);
assert.equal(created.data.short_code.length, 7);

const code = `ts-${randomBytes(8).toString('hex')}`;
const custom = await terse.POST('/api/v1/shorten', {
  body: { url: destination, custom_code: code },
});
assert.equal(custom.data?.short_url, `${baseUrl}/${code}`);

const listed = await terse.GET('/api/v1/links', { params: { query: { limit: 2 } } });
assert.deepEqual(
  listed.data?.data.map((link) => [link.short_code, link.campaign, link.clicks]),
  [[code, null, 0], [created.data.short_code, 'spring', 0]],
);

const redirect = await fetch(created.data.short_url, { redirect: 'manual' });
assert.deepEqual([redirect.status, redirect.headers.get('location')], [302, destination]);
const stats = await terse.GET('/api/v1/stats/{code}', {
  params: { path: { code: created.data.short_code } },
});
assert.deepEqual([stats.data?.data.clicks, stats.data?.data.is_active], [1, 1]);

const enabled = await terse.POST('/api/v1/qrcodes', {
  body: { short_code: code, error_correction: 'Q', margin: 2 },
});
assert.equal(enabled.data?.has_qr, 1);
const withQr = await terse.GET('/api/v1/qrcodes');
assert.equal(withQr.data?.data[0]?.short_code, code);
assert.equal(withQr.data?.data[0]?.title, null);

const refused = await clientWith('terse_unknownunknownunknown1').GET('/api/v1/links');
assert.deepEqual([refused.response.status, refused.error?.code], [401, 'unauthorized']);

const missing = await terse.GET('/api/v1/stats/{code}', { params: { path: { code: 'unknown' } } });
assert.deepEqual([missing.response.status, missing.error?.code], [404, 'link-not-found']);

const again = await terse.POST('/api/v1/shorten', {
  body: { url: destination, custom_code: code },
});
assert.deepEqual([again.response.status, again.error?.code], [409, 'code-in-use']);
assert.equal(again.response.headers.get('X-Request-Id'), again.error?.request_id);

const invalid = await terse.POST('/api/v1/shorten', { body: { url: 'example.org' } });
assert.deepEqual([invalid.response.status, invalid.error?.code], [422, 'invalid-input']);
assert.deepEqual(invalid.error?.errors?.map((error) => error.pointer), ['/url']);

const limited = clientWith(process.env['TERSE_LIMITED_KEY']);
assert((await limited.GET('/api/v1/links')).data);
const throttled = await limited.GET('/api/v1/links');
assert.deepEqual([throttled.response.status, throttled.error?.code], [429, 'rate-limited']);
assert(Number(throttled.response.headers.get('Retry-After')) > 0);
