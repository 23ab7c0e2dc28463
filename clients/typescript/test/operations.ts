// What the documents say holds for every method. OPENAPI is the directory of the documents.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Terse, TerseOperator } from '@terse/client';
import { json, problem, serve } from './server.js';

interface Parameter { $ref?: string; name: string; in: string; required?: boolean }
interface Operation { parameters?: Parameter[]; requestBody?: unknown; responses: Record<string, Response> }
interface Response { $ref?: string; content?: Record<string, { examples?: object }> }
interface Document {
  paths: Record<string, Record<string, Operation> | undefined>;
  components: { parameters?: Record<string, Parameter>; responses?: Record<string, Response> };
}
type Pages = { all(options?: { limit: number }): Promise<unknown[]> };

const key = 'terse_abcdefghijklmnopqrstuvwxyz';
const table = JSON.parse(await readFile('operations.json', 'utf8')) as Record<string, Record<string, string>>;
const methods = await Promise.all(
  Object.entries(table).map(async ([name, operations]) => {
    const document = JSON.parse(await readFile(`${process.env['OPENAPI']}/${name}.json`, 'utf8')) as Document;
    const count = Object.values(document.paths).flatMap((path) => Object.keys(path!)).length;
    assert.equal(Object.keys(operations).length, count, `each operation of ${name} has a method`);
    return Object.entries(operations).map(([method, operation]) => describe(name, method, operation, document));
  }),
).then((all) => all.flat());

function describe(name: string, method: string, operation: string, document: Document) {
  const [verb, path] = operation.split(' ') as [string, string];
  const found = document.paths[path]?.[verb.toLowerCase()];
  assert(found, operation);
  const parameters = (found.parameters ?? []).map((one) => (one.$ref ? document.components.parameters![one.$ref.split('/').at(-1)!]! : one));
  const names = parameters.map((one) => one.name);
  const inPath = parameters.filter((one) => one.in === 'path').map(() => 'x');
  const hasQuery = parameters.some((one) => one.in === 'query' && one.name !== 'cursor');
  const call = (baseUrl: string, query: object = {}, retryFor = 120_000): unknown => {
    const client = new (name === 'operator' ? TerseOperator : Terse)({ baseUrl, key, retryFor }) as unknown as Record<string, any>;
    const parts = method.split('.');
    const target = parts.length === 1 ? client : client[parts[0]!];
    assert.equal(typeof target[parts.at(-1)!], 'function', method);
    return target[parts.at(-1)!](...inPath, ...(found.requestBody ? [{}] : []), ...(hasQuery ? [query] : []));
  };
  const hasKey = names.includes('Idempotency-Key');
  const response = found.responses['404'];
  const absent = response?.$ref ? document.components.responses![response.$ref.split('/').at(-1)!] : response;
  const missing = Object.keys(Object.values(absent?.content ?? {})[0]?.examples ?? {});
  return { name, method, verb, path, missing, call, isList: names.includes('cursor'), hasKey, isSafe: verb !== 'POST' || hasKey || path.endsWith('-search') };
}

test('every list follows its pages', async () => {
  const lists = methods.filter(({ isList }) => isList);
  assert(lists.length >= 10);
  for (const { name, method, call } of lists) {
    const page = (item: number, next: string | null) =>
      name === 'openapi'
        ? json({ data: [item] }, 200, next ? { Link: `<https://elsewhere.example/api?cursor=${next}&limit=7>; rel="next"` } : {})
        : json({ data: [item], next_cursor: next });
    const answers = [page(1, 'a'), page(2, 'b'), page(3, null)];
    const { baseUrl, received } = await serve(...answers);
    assert.deepEqual(await (call(baseUrl, { after_id: 5 }) as Pages).all(), [1, 2, 3], method);
    assert.deepEqual(received.map(({ url }) => url.searchParams.get('cursor')), [null, 'a', 'b'], method);
    assert(received.every(({ url }) => url.searchParams.get('limit') === received[0]!.url.searchParams.get('limit')));
    const short = await serve(...answers);
    assert.deepEqual(await (call(short.baseUrl) as Pages).all({ limit: 2 }), [1, 2], method);
    assert.deepEqual(short.received.map(({ url }) => url.searchParams.get('limit')), ['2', '2']);
  }
});

test('every operation is repeated if it has the same effect twice', async () => {
  for (const change of ['linkChanges.create', 'blocks.create', 'owners.suspend', 'owners.resume', 'events.undo', 'keys.find']) {
    assert(methods.some(({ name, method, isSafe }) => name === 'operator' && method === change && isSafe), change);
  }
  for (const { method, verb, path, call, hasKey, isSafe, isList } of methods) {
    const run = (baseUrl: string, retryFor?: number) => {
      const result = call(baseUrl, {}, retryFor);
      return isList || !(result instanceof Promise) ? (result as Pages).all() : result;
    };
    const { baseUrl, received } = await serve(problem(503, 'unavailable'), json({ data: [] }));
    await run(baseUrl).then(() => assert(isSafe, method), (error) => assert(!isSafe, `${method}: ${error}`));
    assert.equal(received.length, isSafe ? 2 : 1, method);
    for (const one of received) {
      assert.equal(one.method, verb);
      assert.equal(one.url.pathname, path.replace(/\{\w+\}/g, 'x'));
      assert.equal(one.headers.authorization, `Bearer ${key}`);
      assert.equal(one.headers['idempotency-key'], received[0]!.headers['idempotency-key']);
      assert.equal(Boolean(one.headers['idempotency-key']), hasKey, method);
    }
  }
});

test('a deletion is done if its own resource is gone', async () => {
  const deletions = methods.filter(({ verb }) => verb === 'DELETE');
  const codes = deletions.map(({ missing: [code] }) => code!);
  for (const { method, missing, call } of deletions) {
    assert.equal(missing.length, 1, method);
    for (const code of new Set(codes)) {
      const { baseUrl } = await serve(problem(502, 'bad-gateway'), problem(404, code));
      const outcome = await (call(baseUrl) as Promise<unknown>).then(String, (error) => error.code);
      assert.equal(outcome, code === missing[0] ? 'undefined' : code, method);
    }
  }
});
