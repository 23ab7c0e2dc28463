// What the package does when a server or a network misbehaves.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { isProblem, problems, Terse, TerseOperator, TerseConnectionError, TerseError, TerseProblem, TerseTimeoutError } from '@terse/client';
import { json, problem, serve, type Answer } from './server.js';

const key = 'terse_abcdefghijklmnopqrstuvwxyz';
const owner = json({ name: 'default' });
const never: Answer = () => {};
const close: Answer = ({ socket }) => socket.destroy();
// A busy machine needs its time for an answer that comes.
const late = { timeout: 1000, retryFor: 3000 };

async function failure(call: Promise<unknown>): Promise<TerseError> {
  const error: unknown = await call.then(() => undefined, (reason: unknown) => reason);
  assert(error instanceof TerseError, String(error));
  return error;
}

test('an attempt without an answer ends in time, and another one follows', async () => {
  const { baseUrl, received } = await serve(never, never, owner);
  const terse = new Terse({ baseUrl, key, ...late, retryFor: 20_000 });
  assert.equal((await terse.owner.get()).name, 'default');
  assert.equal(received.length, 3);
  const error = await failure(new Terse({ baseUrl: (await serve(never)).baseUrl, key, ...late }).owner.get());
  assert(error instanceof TerseTimeoutError && error instanceof TerseConnectionError);
  // Unless they say otherwise, clients have time to repeat an attempt.
  const defaults: unknown[] = [];
  const hung = new Terse({ baseUrl: 'http://localhost', key, fetch: () => new Promise(() => {}) });
  const original = globalThis.setTimeout;
  globalThis.setTimeout = ((_: unknown, time: number) => defaults.push(time)) as never;
  void hung.owner.get();
  await new Promise(setImmediate);
  globalThis.setTimeout = original;
  assert.deepEqual(defaults, [30_000]);
});

test('the time of an attempt includes the body, and a `fetch` that ignores its signal', async () => {
  const { baseUrl } = await serve((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 10);
    response.on('close', () => clearInterval(drip));
  });
  const slow = await failure(new Terse({ baseUrl, key, timeout: 1000, retryFor: 0 }).owner.get());
  assert(slow instanceof TerseTimeoutError);
  assert.equal(slow.response?.status, 200);
  const deaf = new Terse({ baseUrl, key, timeout: 50, retryFor: 0, fetch: () => new Promise(() => {}) });
  assert(await failure(deaf.owner.get()) instanceof TerseTimeoutError);
});

test('times are whole milliseconds that a timer can wait', async () => {
  for (const time of [1 / 3, Infinity, NaN, -1, 3e9, '5' as never]) {
    assert.throws(() => new Terse({ baseUrl: 'http://localhost', key, timeout: time }), RangeError);
    assert.throws(() => new Terse({ baseUrl: 'http://localhost', key, retryFor: time }), RangeError);
    await assert.rejects(new Terse({ baseUrl: 'http://localhost', key }).owner.get({ timeout: time }), RangeError);
  }
});

test('a closed connection is repeated if that is safe', async () => {
  const { baseUrl, received } = await serve(close, owner);
  await new Terse({ baseUrl, key }).owner.get();
  assert.equal(received.length, 2);
  const error = await failure(new Terse({ baseUrl: (await serve(close)).baseUrl, key, retryFor: 0 }).owner.get());
  assert(error instanceof TerseConnectionError && !(error instanceof TerseTimeoutError));
  assert.equal(error.response, undefined);
  assert(error.cause instanceof TypeError);
  const creation = await failure(new Terse({ baseUrl: (await serve(close)).baseUrl, key, retryFor: 0 }).shorten({ url: 'https://example.org/' }));
  assert.match(creation.idempotencyKey!, /^[0-9a-f]{32}$/);
});

test('half a body is a lost response', async () => {
  const halves: Answer[] = [
    (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
      response.write('{"name":', () => response.destroy());
    },
    (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.write('{"name":', () => response.destroy());
    },
    // Without a length, nothing but the body says so.
    ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{"name":'),
    ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n'),
  ];
  for (const half of halves) {
    const { baseUrl, received } = await serve(half, owner);
    const terse = new Terse({ baseUrl, key });
    assert.equal((await terse.owner.get()).name, 'default');
    assert.equal(received.length, 2);
    const error = await failure(new Terse({ baseUrl: (await serve(half)).baseUrl, key, retryFor: 0 }).owner.get());
    assert(error instanceof TerseConnectionError);
    assert.equal(error.response?.status, 200);
  }
});

test('the page of a proxy is an error at once', async () => {
  const { baseUrl, received } = await serve((_, response) => void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>Log in'));
  const error = await failure(new Terse({ baseUrl, key }).owner.get());
  assert.deepEqual([error.name, error.response?.status, error.body, received.length], ['TerseError', 200, '<p>Log in', 1]);
});

test('an answer that is none of what the operation returns is an error', async () => {
  const empty = (status: number, headers = {}): Answer => (_, response) => void response.writeHead(status, headers).end();
  const calls: ((terse: Terse) => Promise<unknown>)[] = [(terse) => terse.links.get('a'), (terse) => terse.links.list().all()];
  for (const [answer, said] of [
    [empty(204), '204 without a body'],
    [empty(204, { 'Content-Type': 'application/json' }), '204 without a body'],
    [empty(202), '202 without a body'],
    [empty(202, { 'Event-Id': '7' }), '202 without a body'],
    [json(null), '200 null'],
    [json([]), '200 []'],
    [json('text'), '200 "text"'],
    [json(1), '200 1'],
  ] as const) {
    for (const call of calls) {
      const { baseUrl, received } = await serve(answer);
      const error = await failure(call(new Terse({ baseUrl, key })));
      assert.deepEqual([error.name, error.response?.ok, received.length], ['TerseError', true, 1], said);
      assert(error.message.endsWith(said), error.message);
    }
  }
  for (const list of [{}, { data: null }, { data: {} }]) {
    const { baseUrl } = await serve(json(list));
    const error = await failure(new Terse({ baseUrl, key }).links.list().all());
    assert.deepEqual([error.name, error.body], ['TerseError', JSON.stringify(list)]);
  }
  // A deletion returns nothing, or the event of the change that goes on.
  const operator = async (answer: Answer) => new TerseOperator({ ...(await serve(answer)), key });
  assert.equal(await (await operator(empty(204))).owners.delete(1), undefined);
  assert.deepEqual(await (await operator(empty(202, { 'Event-Id': '7' }))).owners.delete(1), { event_id: 7 });
  for (const answer of [empty(202), empty(202, { 'Event-Id': 'x' }), json(null)]) {
    const error = await failure((await operator(answer)).owners.delete(1));
    assert.equal(error.name, 'TerseError');
  }
});

test('a problem of a gateway may have anything as its code', async () => {
  for (const code of [503, null, {}, ['a']]) {
    const { baseUrl, received } = await serve(json({ code, detail: 'busy' }, 503, { 'Content-Type': 'application/problem+json' }), owner);
    const seen: TerseError[] = [];
    await new Terse({ baseUrl, key, hooks: { retry: ({ error }) => seen.push(error) } }).owner.get();
    assert.equal(received.length, 2);
    assert(seen[0] instanceof TerseProblem);
    assert.deepEqual([seen[0].code, seen[0].message], ['', '503: busy']);
  }
  const odd = { code: 'a', detail: [], request_id: 7, errors: 'x' };
  const { baseUrl } = await serve(json(odd, 409, { 'Content-Type': 'application/problem+json', 'X-Request-Id': '8' }));
  const error = await failure(new Terse({ baseUrl, key }).owner.get());
  assert(error instanceof TerseProblem);
  assert.deepEqual([error.detail, error.requestId, error.errors, error.problem], ['the response is not of Terse', '8', [], odd]);
});

test('Retry-After is honoured, and nonsense in it does no harm', async () => {
  for (const [given, expected] of [
    ['1', 1000],
    [undefined, 0],
    ['-5', 0],
    ['soon', 0],
    ['Sat, 01 Jan 2000 00:00:00 GMT', 0],
    [() => new Date(Date.now() + 3000).toUTCString(), 1000],
  ] as const) {
    const value = typeof given === 'function' ? given() : given;
    const waits: number[] = [];
    const { baseUrl } = await serve(problem(503, 'unavailable', value === undefined ? {} : { 'Retry-After': value }), owner);
    await new Terse({ baseUrl, key, hooks: { retry: ({ wait }) => waits.push(wait) } }).owner.get();
    assert.equal(waits.length, 1);
    assert(waits[0]! >= (expected || 125) && waits[0]! <= 3000 && (expected || waits[0]! <= 250), `${value}: ${waits}`);
  }
  for (const value of ['99999999999999999999', '500', 'Fri, 31 Dec 9999 23:59:59 GMT']) {
    const { baseUrl, received } = await serve(problem(503, 'unavailable', { 'Retry-After': value }));
    const error = await failure(new Terse({ baseUrl, key }).owner.get());
    assert(error instanceof problems.Unavailable);
    assert(error.retryAfter! > 400_000);
    assert.equal(received.length, 1);
  }
});

test('the key goes to no other host', async () => {
  const other = await serve(owner);
  for (const status of [301, 302, 303, 307, 308]) {
    const { baseUrl, received } = await serve((_, response) => void response.writeHead(status, { Location: `${other.baseUrl}/api` }).end());
    const error = await failure(new Terse({ baseUrl, key }).owner.get());
    assert(error instanceof TerseProblem);
    assert.deepEqual([error.status, error.code, error.response?.headers.get('Location')], [status, '', `${other.baseUrl}/api`]);
    assert.equal(received.length, 1);
  }
  assert.equal(other.received.length, 0);
});

test('a deletion is done if its resource is gone after an attempt that may have arrived', async () => {
  const gone = problem(404, 'link-not-found');
  for (const first of [close, problem(503, 'unavailable'), never]) {
    const { baseUrl, received } = await serve(first, gone);
    assert.equal(await new Terse({ baseUrl, key, timeout: 1000 }).links.delete('code'), undefined);
    assert.equal(received.length, 2);
  }
  for (const answers of [
    [gone],
    [problem(429, 'rate-limited'), gone],
    [close, problem(404, 'not-found')],
    [close, problem(404, 'owner-not-found')],
    [close, ((_, response) => void response.writeHead(404).end('no such page')) as Answer],
  ]) {
    const { baseUrl, received } = await serve(...answers);
    const error = await failure(new Terse({ baseUrl, key }).links.delete('typo'));
    assert(error instanceof TerseProblem && error.status === 404);
    assert.equal(received.length, answers.length);
  }
});

test('a refused connection has no effect', async () => {
  const { baseUrl } = await serve(problem(404, 'link-not-found'));
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
  const { port } = free.address() as { port: number };
  await new Promise((resolve) => free.close(resolve));
  // While the server restarts, its port is closed.
  let attempts = 0;
  const restarting: typeof fetch = (input, init) =>
    fetch(attempts++ ? String(input).replace(/:\d+/, `:${new URL(baseUrl).port}`) : input, init);
  const terse = new Terse({ baseUrl: `http://127.0.0.1:${port}`, key, fetch: restarting });
  const error = await failure(terse.links.delete('typo'));
  assert(error instanceof problems.LinkNotFound);
  assert.equal(attempts, 2);
});

test('what no repeat changes is reported at once, and a repeat says so', async () => {
  const { baseUrl, received } = await serve(owner);
  const failed = (code: string, message: string) => Object.assign(new Error(message), { code });
  for (const cause of [
    failed('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'),
    failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate'),
    failed('UND_ERR_ABORTED', 'Proxy response (407) !== 200 when HTTP Tunneling'),
    undefined,
  ]) {
    let attempts = 0;
    const distrust: typeof fetch = (input, init) => (attempts++, cause ? Promise.reject(new TypeError('fetch failed', { cause })) : fetch(input, init));
    // Without a cause, this is a port without TLS.
    await failure(new Terse({ baseUrl: baseUrl.replace('http', 'https'), key, fetch: distrust }).owner.get());
    assert.equal(attempts, 1, cause?.message);
  }
  assert.equal(received.length, 0);
  for (const [answer, times] of [[close, {}], [never, late]] as const) {
    const gone = await serve(answer);
    const error = await failure(new Terse({ baseUrl: gone.baseUrl, key, retryFor: 1000, ...times }).owner.get());
    assert(error.message.endsWith(` (attempt ${gone.received.length})`), error.message);
  }
});

test('what is no name is refused', async () => {
  const { baseUrl, received } = await serve(owner);
  const terse = new Terse({ baseUrl, key });
  for (const value of [undefined, null, {}, [], ['a'], true] as never[]) {
    await assert.rejects(terse.links.get(value), TypeError);
    await assert.rejects(terse.links.delete(value), TypeError);
    await assert.rejects(terse.links.events(value).all(), TypeError);
  }
  assert.equal(received.length, 0);
});

test('what a URL would lose is refused', async () => {
  const { baseUrl, received } = await serve(owner);
  const terse = new Terse({ baseUrl, key });
  for (const code of ['.', '..', '']) {
    await assert.rejects(terse.links.get(code), TypeError);
    await assert.rejects(terse.links.events(code).all(), TypeError);
  }
  await terse.links.get('a/../b?c#d%2e');
  assert.deepEqual(received.map(({ url }) => url.pathname), ['/api/manage/v1/links/a%2F..%2Fb%3Fc%23d%252e']);
});

test('ifMatch takes an object of a list or a batch, and a tag that a proxy changed', async () => {
  const { baseUrl, received } = await serve(json({ data: [{ short_code: 'a', etag: '"1"' }], next_cursor: null }), json({}));
  const terse = new Terse({ baseUrl, key });
  const [item] = await terse.links.list().all();
  for (const version of [item!, '"2"', 'W/"3"', '"4-gzip"', 'W/"5;br"', '"6--gzip"', 'W/"7--zstd"', '*', '"8", W/"9-gzip"']) {
    await terse.links.update('a', { title: 'b' }, { ifMatch: version });
  }
  assert.deepEqual(received.slice(1).map(({ headers }) => headers['if-match']), ['"1"', '"2"', '"3"', '"4"', '"5"', '"6"', '"7"', '*', '"8", "9"']);
  await assert.rejects(terse.links.update('a', {}, { ifMatch: { title: 'from elsewhere' } as never }), TypeError);
});

test('a date is a time; what is no JSON is refused', async () => {
  const { baseUrl, received } = await serve(json({ data: [], next_cursor: null }));
  const terse = new Terse({ baseUrl, key });
  const date = new Date(Date.UTC(2027, 0, 1));
  await terse.links.list({ created_after: date }).all();
  await terse.links.update('a', { expires_at: date, title: null });
  assert.equal(received[0]!.url.searchParams.get('created_after'), '2027-01-01T00:00:00.000Z');
  assert.deepEqual(JSON.parse(received[1]!.body), { expires_at: '2027-01-01T00:00:00.000Z', title: null });
  await assert.rejects(terse.links.update('a', { expires_at: new Date('never') }), TypeError);
  await assert.rejects(terse.links.update('a', { qr_margin: NaN }), TypeError);
});

test('options of a call stand above those of the client', async () => {
  const { baseUrl, received } = await serve(problem(503, 'unavailable'), owner);
  const terse = new Terse({ baseUrl, key, retryFor: 0 });
  const headers = { traceparent: '00-1-2-03', 'User-Agent': 'shop/1', accept: 'application/json; q=1' };
  await terse.owner.get({ retryFor: 5000, headers });
  assert.deepEqual(
    received.map((one) => [one.headers['traceparent'], one.headers['user-agent'], one.headers.accept, one.headers.authorization]),
    Array(2).fill(['00-1-2-03', 'shop/1', 'application/json; q=1', `Bearer ${key}`]),
  );
  for (const form of [new Headers(headers), Object.entries(headers), new Map(Object.entries(headers))]) {
    await terse.owner.get({ headers: form });
    assert.equal(received.at(-1)!.headers['user-agent'], 'shop/1');
  }
  const count = received.length;
  for (const [name, option] of [['authorization', 'key'], ['X-API-Key', 'key'], ['Idempotency-Key', 'idempotencyKey'], ['If-Match', 'ifMatch']] as const) {
    await assert.rejects(terse.owner.get({ headers: { [name]: 'a' } }), (error) => error instanceof TypeError && error.message.includes(option));
  }
  for (const name of ['Content-Length', 'transfer-encoding', 'Host', 'Connection', 'Keep-Alive', 'Upgrade', 'Expect']) {
    await assert.rejects(terse.owner.get({ headers: { [name]: '1' } }), (error) => error instanceof TypeError && error.message.includes('itself'));
  }
  for (const idempotencyKey of ['', ' ']) await assert.rejects(terse.shorten({ url: 'a' }, { idempotencyKey }), TypeError);
  assert.equal(received.length, count);
  const stop = new AbortController();
  const hung = new Terse({ baseUrl: (await serve(never)).baseUrl, key });
  setTimeout(() => stop.abort(new Error('enough')), 50);
  await assert.rejects(hung.owner.get({ signal: stop.signal }), /enough/);
  await assert.rejects(hung.owner.get({ signal: stop.signal }), /enough/);
});

test('hooks see every attempt, and no key', async () => {
  const { baseUrl, received } = await serve(problem(503, 'unavailable'), owner);
  const seen: string[] = [];
  const say = (event: string, value: object) => {
    assert(!JSON.stringify(value, (_, part) => (part instanceof Headers ? [...part] : part)).includes(key));
    seen.push(event);
  };
  const terse = new Terse({
    baseUrl,
    key,
    hooks: {
      request: (attempt) => {
        say(`request ${attempt.attempt} ${attempt.method} ${new URL(attempt.url).pathname}`, attempt);
        attempt.headers.set('traceparent', `00-${attempt.attempt}`);
      },
      response: (attempt) => say(`response ${attempt.response.status} ${attempt.milliseconds >= 0}`, attempt),
      retry: (attempt) => say(`retry ${isProblem(attempt.error, 'unavailable')} ${attempt.wait > 0}`, attempt),
    },
  });
  await terse.owner.get();
  const path = '/api/manage/v1/owner';
  assert.deepEqual(seen, [`request 1 GET ${path}`, 'response 503 true', 'retry true true', `request 2 GET ${path}`, 'response 200 true']);
  assert.deepEqual(received.map(({ headers }) => headers['traceparent']), ['00-1', '00-2']);
  assert.match(received[0]!.headers['user-agent']!, /^terse-client\/\d+\.\d+\.\d+ \(node \d+\.\d+\.\d+; document \d+\.\d+\.\d+\)$/);
  const failing = new Terse({ baseUrl, key, hooks: { request: () => { throw new Error('a hook failed'); } } });
  await assert.rejects(failing.owner.get(), /a hook failed/);
});

test('hooks and loggers are awaited, and their errors are those of the call', async () => {
  const wrong = async () => Promise.reject(new Error('it failed later'));
  for (const options of [
    { hooks: { request: wrong } },
    { hooks: { response: wrong } },
    { hooks: { retry: wrong } },
    { logger: { debug: wrong, info: () => {} } },
    { logger: { debug: () => {}, info: wrong } },
  ]) {
    const { baseUrl } = await serve(problem(503, 'unavailable'), owner);
    await assert.rejects(new Terse({ baseUrl, key, ...options }).owner.get(), /it failed later/);
  }
});

test('a logger has a line for each attempt and each repeat, without the key', async () => {
  const { baseUrl } = await serve(problem(503, 'unavailable'), close, owner);
  const lines: string[] = [];
  const logger = { debug: (line: string) => lines.push(`debug ${line}`), info: (line: string) => lines.push(`info ${line}`) };
  await new Terse({ baseUrl, key, logger }).owner.get();
  const url = `GET ${baseUrl}/api/manage/v1/owner`;
  const expected = [`debug ${url}: 503`, `info ${url} is repeated in `, `debug ${url}: TerseConnectionError: `, `info ${url} is repeated in `, `debug ${url}: 200`];
  assert.deepEqual(lines.map((line, index) => line.slice(0, expected[index]?.length)), expected);
  assert(!lines.join().includes(key));
});

test('hooks see no secrets of the caller, and these are sent', async () => {
  const { baseUrl, received } = await serve(problem(503, 'unavailable'), owner);
  const seen: Headers[] = [];
  const see = ({ headers }: { headers: Headers }) => void seen.push(headers);
  const terse = new Terse({ baseUrl, key, hooks: { request: see, response: see, retry: see } });
  const secrets = { cookie: 'session=1', 'proxy-authorization': 'Basic YQ==' };
  await terse.owner.get({ headers: { ...secrets, traceparent: '00-1' } });
  assert.equal(seen.length, 5);
  for (const headers of seen) {
    assert.equal(headers.get('traceparent'), '00-1');
    for (const name of [...Object.keys(secrets), 'authorization']) assert.equal(headers.get(name), null);
  }
  for (const { headers } of received) {
    assert.deepEqual([headers.cookie, headers['proxy-authorization'], headers.authorization], [...Object.values(secrets), `Bearer ${key}`]);
  }
});

test('a hook can cancel its call', async () => {
  for (const [hook, sent] of [['request', 0], ['response', 1], ['retry', 1]] as const) {
    const { baseUrl, received } = await serve(problem(503, 'unavailable', { 'Retry-After': '5' }), owner);
    const stop = new AbortController();
    const terse = new Terse({ baseUrl, key, hooks: { [hook]: () => stop.abort(new Error('enough')) } });
    const from = Date.now();
    await assert.rejects(terse.owner.get({ signal: stop.signal }), /enough/);
    assert(received.length === sent && Date.now() - from < 4000, hook);
  }
});

test('any number of calls may share a signal', async () => {
  const warnings: string[] = [];
  const warn = ({ message }: Error) => void warnings.push(message);
  process.on('warning', warn);
  const stop = new AbortController();
  const { baseUrl, received } = await serve(...Array<Answer>(30).fill(problem(503, 'unavailable', { 'Retry-After': '1' })), never);
  const terse = new Terse({ baseUrl, key });
  const calls = Array.from({ length: 30 }, () => assert.rejects(terse.owner.get({ signal: stop.signal }), /enough/));
  const waiting = Array.from({ length: 30 }, () => assert.rejects(terse.links.createMany([{ destination_url: 'a' }], { signal: stop.signal })));
  while (received.length < 60) await new Promise((resolve) => setTimeout(resolve, 20));
  stop.abort(new Error('enough'));
  await Promise.all([...calls, ...waiting]);
  process.off('warning', warn);
  assert.deepEqual(warnings, []);
});

test('arguments that would select something else are refused', async () => {
  const { baseUrl, received } = await serve(json({ data: [], next_cursor: null }));
  const terse = new Terse({ baseUrl, key });
  await assert.rejects(terse.links.list({ code: [] }).all(), (error) => error instanceof TypeError && error.message.includes('code'));
  for (const limit of [2.5, -1, NaN, -Infinity, '5' as never]) {
    await assert.rejects(terse.links.list().all({ limit }), RangeError);
  }
  assert.equal(received.length, 0);
  assert.deepEqual([await terse.links.list().all({ limit: 0 }), await terse.links.list().all({ limit: Infinity })], [[], []]);
});

test('an address may have spaces around it; without an address or a key there is no client', async () => {
  const { baseUrl, received } = await serve(owner);
  for (const address of [`${baseUrl} `, `\t${baseUrl}/\n`, `${baseUrl}//`]) {
    await new Terse({ baseUrl: address, key, retryFor: 0 }).owner.get();
    assert.equal(received.at(-1)!.url.pathname, '/api/manage/v1/owner');
  }
  for (const [name, options] of [
    ['baseUrl', { key }],
    ['baseUrl', { baseUrl: null, key }],
    ['baseUrl', { baseUrl: 'http://a?', key }],
    ['baseUrl', { baseUrl: 'http://a#', key }],
    ['baseUrl', { baseUrl: 'http://user@a', key }],
    ['key', { baseUrl }],
    ['key', { baseUrl, key: null }],
    ['key', { baseUrl, key: ' ' }],
  ] as const) {
    assert.throws(() => new Terse(options as never), (error) => error instanceof TypeError && error.message.startsWith(`${name} must`));
  }
});

test('on a page in a browser, the address may be relative', async () => {
  const asked: unknown[] = [];
  const answer: typeof fetch = async (input) => {
    asked.push(input);
    return new Response('{}', { headers: { 'Content-Type': 'application/json' } });
  };
  Object.assign(globalThis, { location: { href: 'https://go.example/app/page?a#b' } });
  for (const baseUrl of ['', '/', '/links/', 'https://other.example']) {
    await new Terse({ baseUrl, key, fetch: answer }).owner.get();
  }
  Reflect.deleteProperty(globalThis, 'location');
  const addresses = ['https://go.example', 'https://go.example', 'https://go.example/links', 'https://other.example'];
  assert.deepEqual(asked, addresses.map((address) => `${address}/api/manage/v1/owner`));
  assert.throws(() => new Terse({ baseUrl: '', key }), TypeError);
});
