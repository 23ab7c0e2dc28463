// `createMany` against servers that fail in part.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problems, Terse, TerseBatchError, TerseConnectionError, TerseError, type LinkCreate } from '@terse/client';
import { json, problem, serve, type Answer } from './server.js';

const key = 'terse_abcdefghijklmnopqrstuvwxyz';
const link = (number: number): LinkCreate => ({ destination_url: `https://example.org/${number}` });
const many = Array.from({ length: 3000 }, (_, number) => link(number));
const failed = (status: number, code: string) => ({ status, problem: { type: '', title: '', detail: '', request_id: '', status, code } });

// Answers each link as its destination's number and the attempt say.
function create(outcome: (number: number, attempt: number) => object | undefined): Answer {
  const attempts = new Map<string, number>();
  return ({ body, headers }, response) => {
    const attempt = (attempts.get(String(headers['idempotency-key'])) ?? 0) + 1;
    attempts.set(String(headers['idempotency-key']), attempt);
    const data = (JSON.parse(body) as { links: LinkCreate[] }).links.map((one) => {
      const number = Number(one.destination_url.split('/').at(-1));
      return outcome(number, attempt) ?? { status: 201, link: { short_code: `c${number}`, destination_url: one.destination_url } };
    });
    json({ data })(undefined as never, response);
  };
}

test('any number of links is created in batches, and what failed for the moment is tried again', async () => {
  async function* links() {
    for (let number = 0; number < 2500; number++) yield link(number);
  }
  const answer = create((number, attempt) => {
    if (number === 17) return failed(422, 'invalid-input');
    if (number === 18 && attempt < 3) return failed(503, 'unavailable');
    if (number === 1018 && attempt < 2) return failed(429, 'rate-limited');
    return undefined;
  });
  const { baseUrl, received } = await serve(answer);
  const terse = new Terse({ baseUrl, key });
  const result = await terse.links.createMany(links(), { idempotencyKey: 'catalogue', headers: { traceparent: 'x' } });
  assert.deepEqual(received.map((one) => [one.headers['idempotency-key'], (JSON.parse(one.body) as { links: [] }).links.length]), [
    ['catalogue-0', 1000],
    ['catalogue-0', 1000],
    ['catalogue-0', 1000],
    ['catalogue-1', 1000],
    ['catalogue-1', 1000],
    ['catalogue-2', 500],
  ]);
  assert.equal(received[0]!.headers['traceparent'], 'x');
  assert.deepEqual(result.results.map(({ index }) => index), Array.from({ length: 2500 }, (_, index) => index));
  assert.equal(result.links.length, 2499);
  const [only, ...others] = result.failed;
  assert(only!.error instanceof problems.InvalidInput && others.length === 0);
  assert.deepEqual([only!.index, only!.request, only!.error.status], [17, link(17), 422]);
});

test('what goes on failing is reported when the time is over', async () => {
  const { baseUrl, received } = await serve(create((number) => (number === 1 ? failed(503, 'unavailable') : undefined)));
  const result = await new Terse({ baseUrl, key, retryFor: 500 }).links.createMany([link(0), link(1)]);
  assert(received.length >= 2);
  assert.deepEqual(result.results.map((one) => one.error?.name ?? one.link?.short_code), ['c0', 'Unavailable']);
  assert(received.every((one) => one.headers['idempotency-key'] === `${result.idempotencyKey}-0`));
});

test('a batch has no more bytes than a request may have', async () => {
  const { baseUrl, received } = await serve(create(() => undefined));
  const long = Array.from({ length: 600 }, (_, number): LinkCreate => ({ ...link(number), title: 'ä'.repeat(4000) }));
  assert.equal((await new Terse({ baseUrl, key }).links.createMany(long)).links.length, 600);
  assert(received.length === 2 && received.every(({ body }) => Buffer.byteLength(body) < 4 * 1024 * 1024));
});

test('a batch that fails as a whole keeps what was created before', async () => {
  const { baseUrl, received } = await serve(create(() => undefined), problem(401, 'unauthorized'));
  const result = await new Terse({ baseUrl, key }).links.createMany(many);
  assert.equal(received.length, 2);
  assert.equal(result.links.length, 1000);
  assert(result.failed.length === 2000 && result.failed.every(({ error }) => error instanceof problems.Unauthorized));
  const refused = await serve(problem(401, 'unauthorized'));
  await assert.rejects(new Terse({ baseUrl: refused.baseUrl, key }).links.createMany(many), problems.Unauthorized);
});

async function failure(call: Promise<unknown>): Promise<any> {
  return call.then(() => assert.fail('the call succeeded'), (error: unknown) => error);
}

test('the error of the first batch has the key of the call', async () => {
  const { baseUrl, received } = await serve(({ socket }) => void socket.destroy(), create(() => undefined));
  const terse = new Terse({ baseUrl, key });
  const error = await failure(terse.links.createMany([link(0)], { retryFor: 0 }));
  assert(error instanceof TerseConnectionError);
  await terse.links.createMany([link(0)], { idempotencyKey: error.idempotencyKey! });
  const keys = received.map(({ headers }) => headers['idempotency-key']);
  assert.deepEqual(keys, Array(2).fill(`${error.idempotencyKey}-0`));
  // So have the errors of later ones.
  const later = await serve(create(() => undefined), problem(401, 'unauthorized'));
  const { failed: [first], idempotencyKey } = await new Terse({ baseUrl: later.baseUrl, key }).links.createMany(many);
  assert.equal(first!.error.idempotencyKey, idempotencyKey);
});

test('what ends a call on this side does not lose what is known', async () => {
  const stop = new AbortController();
  const broken = new Error('the file has no more lines');
  function* links(last: () => unknown) {
    yield* many.slice(0, 1500);
    yield last() as LinkCreate;
    yield* many.slice(0, 1000);
  }
  const circular: Record<string, unknown> = {};
  circular['title'] = circular;
  for (const [last, cause] of [
    [() => { throw broken; }, broken],
    [() => ({ ...link(0), expires_at: new Date(NaN) }), TypeError],
    [() => ({ ...link(0), qr_margin: 1n }), TypeError],
    [() => circular, TypeError],
    [() => stop.abort(broken) ?? link(0), broken],
  ] as const) {
    const { baseUrl, received } = await serve(create(() => undefined));
    const error = await failure(new Terse({ baseUrl, key }).links.createMany(links(last), { signal: stop.signal }));
    assert(error instanceof TerseBatchError && error instanceof TerseError, String(error));
    assert.equal(error.name, 'TerseBatchError');
    if (cause === broken) assert.equal(error.cause, broken);
    else assert(error.cause instanceof TypeError);
    assert(error.message.includes((error.cause as Error).message));
    assert.deepEqual(error.results.map((one) => one.link?.short_code), many.slice(0, 1000).map((_, number) => `c${number}`));
    assert.deepEqual(received.map(({ headers }) => headers['idempotency-key']), [`${error.idempotencyKey}-0`]);
  }
});

test('what was on its way is not known, but has a key', async () => {
  const stop = new AbortController();
  const { baseUrl, received } = await serve(() => stop.abort(new Error('enough')));
  const error = await failure(new Terse({ baseUrl, key }).links.createMany([link(0)], { signal: stop.signal }));
  assert(error instanceof TerseBatchError);
  assert.deepEqual([error.results, (error.cause as Error).message], [[], 'enough']);
  assert.equal(received[0]!.headers['idempotency-key'], `${error.idempotencyKey}-0`);
});

test('before anything is sent, an error is what it is', async () => {
  const { baseUrl, received } = await serve(create(() => undefined));
  const { links } = new Terse({ baseUrl, key });
  assert.equal((await failure(links.createMany([{ ...link(0), expires_at: new Date(NaN) }]))).name, 'TypeError');
  assert.equal((await failure(links.createMany([link(0)], { timeout: 0 }))).name, 'RangeError');
  assert.equal((await failure(links.createMany([link(0)], { headers: { 'Idempotency-Key': 'a' } }))).name, 'TypeError');
  assert.equal((await failure(links.createMany([link(0)], { signal: AbortSignal.abort() }))).name, 'AbortError');
  for (const idempotencyKey of ['', 'k'.repeat(251)]) {
    assert.equal((await failure(links.createMany([link(0)], { idempotencyKey }))).name, 'TypeError');
  }
  assert.equal(received.length, 0);
  await links.createMany([link(0)], { idempotencyKey: 'k'.repeat(250) });
  assert.equal(received[0]!.headers['idempotency-key']!.length, 252);
});

test('an answer without an outcome for each link is an error', async () => {
  const created = { status: 201, link: { short_code: 'c' } };
  for (const data of [[created], [created, created, created], [created, null], [created, { status: 201 }], 'ab', undefined]) {
    const { baseUrl } = await serve(json({ data }));
    const error = await failure(new Terse({ baseUrl, key }).links.createMany([link(0), link(1)], { idempotencyKey: 'a' }));
    assert.deepEqual([error.name, error.response?.status, error.idempotencyKey], ['TerseError', 200, 'a'], JSON.stringify(data));
  }
});

test('a batch takes no more time than retryFor', async () => {
  // The first answer needs most of the time, and the others say to come back.
  const answer = create(() => failed(503, 'unavailable'));
  const late: Answer = (request, response) => void setTimeout(() => answer(request, response), 2500);
  const { baseUrl } = await serve(late, problem(503, 'unavailable'));
  const from = Date.now();
  const { failed: [only] } = await new Terse({ baseUrl, key }).links.createMany([link(0)], { retryFor: 3000 });
  assert(only!.error instanceof problems.Unavailable && Date.now() - from < 5000);
});

test('what an earlier attempt at a batch created stays known', async () => {
  const { baseUrl } = await serve(create((number) => (number === 1 ? failed(503, 'unavailable') : undefined)), problem(401, 'unauthorized'));
  const result = await new Terse({ baseUrl, key }).links.createMany([link(0), link(1)]);
  assert.deepEqual(result.results.map((one) => one.error?.name ?? one.link?.short_code), ['c0', 'Unavailable']);
});
