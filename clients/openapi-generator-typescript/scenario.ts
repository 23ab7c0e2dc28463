// The scenario of docs/contributing/generated-clients.md with the client that openapi-generator generates
// (typescript-fetch). TERSE_URL is the address of the server, TERSE_KEY an API key,
// TERSE_LIMITED_KEY one whose owner may send one request per minute.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  Configuration,
  LinksApi,
  ProblemFromJSON,
  QRCodesApi,
  QrCodeRequestErrorCorrectionEnum,
  ResponseError,
  type Problem,
} from './terse-client/index.js';

const basePath = process.env['TERSE_URL'];
const destination = 'https://example.org/spring?utm_source=mail';

// The client sends `apiKey` as X-API-Key, and `accessToken` as a bearer token.
const clientWith = (apiKey: string) => new Configuration({ basePath, apiKey });

// The client throws an exception with the response, whose body is the problem.
async function problemOf(request: Promise<unknown>): Promise<Problem> {
  const error = await request.then(
    (result) => assert.fail(JSON.stringify(result)),
    (error: unknown) => error,
  );
  assert(error instanceof ResponseError);
  const problem = ProblemFromJSON(await error.response.json());
  assert.equal(problem.status, error.response.status);
  assert.equal(problem.requestId, error.response.headers.get('X-Request-Id'));
  assert(problem.status !== 429 || Number(error.response.headers.get('Retry-After')) > 0);
  return problem;
}

const configuration = clientWith(process.env['TERSE_KEY'] ?? '');
const links = new LinksApi(configuration);
const qrCodes = new QRCodesApi(configuration);

const created = await links.shorten({
  shortenRequest: { url: destination, title: 'Spring catalogue', campaign: 'spring' },
});
assert.equal(created.destinationUrl, destination);
assert.equal(created.shortCode.length, 7);
const code = `ts-${randomBytes(8).toString('hex')}`;
const custom = await links.shorten({ shortenRequest: { url: destination, customCode: code } });
assert.equal(custom.shortUrl, `${basePath}/${code}`);

const listed = await links.listLinks({ limit: 2 });
assert.deepEqual(
  listed.data.map((link) => [link.shortCode, link.campaign, link.clicks]),
  [[code, null, 0], [created.shortCode, 'spring', 0]],
);

const redirect = await fetch(created.shortUrl, { redirect: 'manual' });
assert.deepEqual([redirect.status, redirect.headers.get('location')], [302, destination]);
const stats = await links.getStats({ code: created.shortCode });
assert.deepEqual([stats.data.clicks, stats.data.isActive], [1, 1]);

const enabled = await qrCodes.enableQrCode({
  qrCodeRequest: {
    shortCode: code,
    errorCorrection: QrCodeRequestErrorCorrectionEnum.Q,
    margin: 2,
  },
});
assert.equal(enabled.hasQr, 1);
const [withQr] = (await qrCodes.listQrCodes()).data;
assert.deepEqual([withQr?.shortCode, withQr?.title], [code, null]);

const stranger = new LinksApi(clientWith('terse_unknownunknownunknown1'));
const refused = await problemOf(stranger.listLinks());
assert.deepEqual([refused.status, refused.code], [401, 'unauthorized']);
const missing = await problemOf(links.getStats({ code: 'unknown' }));
assert.deepEqual([missing.status, missing.code], [404, 'link-not-found']);
const again = await problemOf(
  links.shorten({ shortenRequest: { url: destination, customCode: code } }),
);
assert.deepEqual([again.status, again.code], [409, 'code-in-use']);
const invalid = await problemOf(links.shorten({ shortenRequest: { url: 'example.org' } }));
assert.deepEqual([invalid.status, invalid.code], [422, 'invalid-input']);
assert.deepEqual(invalid.errors?.map((error) => error.pointer), ['/url']);

const limited = new LinksApi(clientWith(process.env['TERSE_LIMITED_KEY'] ?? ''));
await limited.listLinks();
const throttled = await problemOf(limited.listLinks());
assert.deepEqual([throttled.status, throttled.code], [429, 'rate-limited']);
