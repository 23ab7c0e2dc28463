// The scenario of docs/contributing/generated-clients.md with the client that @hey-api/openapi-ts
// generates. TERSE_URL is the address of the server, TERSE_KEY an API key, TERSE_LIMITED_KEY one whose
// owner may send one request per minute.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createClient } from './terse-client/client/index.js';
import {
  enableQrCode,
  getStats,
  listLinks,
  listQrCodes,
  shorten,
} from './terse-client/index.js';

const baseUrl = process.env['TERSE_URL'] ?? '';
const destination = 'https://example.org/spring?utm_source=mail';

// The client calls `auth` for each scheme until it gets a key, which here it sends as X-API-Key.
const clientWith = (key: string) => createClient({ baseUrl, auth: () => key });

const client = clientWith(process.env['TERSE_KEY'] ?? '');

const created = await shorten({
  client,
  body: { url: destination, title: 'Spring catalogue', campaign: 'spring' },
});
assert(created.data, JSON.stringify(created.error));
assert.equal(created.data.destination_url, destination);
assert.equal(created.data.short_code.length, 7);
const code = `ts-${randomBytes(8).toString('hex')}`;
const withCode = { client, body: { url: destination, custom_code: code } };
const custom = await shorten(withCode);
assert.equal(custom.data?.short_url, `${baseUrl}/${code}`);

const listed = await listLinks({ client, query: { limit: 2 } });
assert.deepEqual(
  listed.data?.data.map((link) => [link.short_code, link.campaign, link.clicks]),
  [[code, null, 0], [created.data.short_code, 'spring', 0]],
);

const redirect = await fetch(created.data.short_url, { redirect: 'manual' });
assert.deepEqual([redirect.status, redirect.headers.get('location')], [302, destination]);
const stats = await getStats({ client, path: { code: created.data.short_code } });
assert.deepEqual([stats.data?.data.clicks, stats.data?.data.is_active], [1, 1]);

const enabled = await enableQrCode({
  client,
  body: { short_code: code, error_correction: 'Q', margin: 2 },
});
assert.equal(enabled.data?.has_qr, 1);
const withQr = (await listQrCodes({ client })).data?.data[0];
assert.deepEqual([withQr?.short_code, withQr?.title], [code, null]);

// The client returns a problem as `error`. With `throwOnError` it throws the problem instead.
const refused = await listLinks({ client: clientWith('terse_unknownunknownunknown1') });
assert.deepEqual([refused.response?.status, refused.error?.code], [401, 'unauthorized']);
const missing = await getStats({ client, path: { code: 'unknown' } });
assert.deepEqual([missing.response?.status, missing.error?.code], [404, 'link-not-found']);
const again = await shorten(withCode);
assert.deepEqual([again.response?.status, again.error?.code], [409, 'code-in-use']);
assert.equal(again.response?.headers.get('X-Request-Id'), again.error?.request_id);
const invalid = await shorten({ client, body: { url: 'example.org' } });
assert.deepEqual([invalid.response?.status, invalid.error?.code], [422, 'invalid-input']);
assert.deepEqual(invalid.error?.errors?.map((error) => error.pointer), ['/url']);

const limited = clientWith(process.env['TERSE_LIMITED_KEY'] ?? '');
assert((await listLinks({ client: limited })).data);
const throttled = await listLinks({ client: limited });
assert.deepEqual([throttled.response?.status, throttled.error?.code], [429, 'rate-limited']);
assert.equal(throttled.error?.status, 429);
assert(Number(throttled.response?.headers.get('Retry-After')) > 0);
