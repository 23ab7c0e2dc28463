// Measures the packages of other services against a server that misbehaves, for the table of README.md.
// usage: node compare.mjs, in the directory of the compiled tests, after npm install stripe dub @shlinkio/shlink-js-sdk

import { ShlinkApiClient } from '@shlinkio/shlink-js-sdk';
import { FetchHttpClient } from '@shlinkio/shlink-js-sdk/fetch';
import { Terse } from '@terse/client';
import { Dub } from 'dub';
import Stripe from 'stripe';
import { json, problem, serve } from './server.js';

const key = 'terse_abcdefghijklmnopqrstuvwxyz';
const url = 'https://example.org/';
const clients = {
  terse(baseUrl, timeout) {
    const { links } = new Terse({ baseUrl, key, ...(timeout && { timeout, retryFor: 3 * timeout }) });
    return { get: (id) => links.get(id), create: () => links.create({ destination_url: url }), delete: (id) => links.delete(id) };
  },
  stripe(baseUrl, timeout) {
    const { hostname: host, port } = new URL(baseUrl);
    const { customers } = new Stripe(key, { host, port: Number(port), protocol: 'http', ...(timeout && { timeout }) });
    return { get: (id) => customers.retrieve(id), create: () => customers.create({}), delete: (id) => customers.del(id) };
  },
  dub(serverURL, timeoutMs) {
    const { links } = new Dub({ token: key, serverURL, ...(timeoutMs && { timeoutMs }) });
    return { get: (linkId) => links.get({ linkId }), create: () => links.create({ url }), delete: (id) => links.delete(id) };
  },
  shlink(baseUrl) {
    const client = new ShlinkApiClient(new FetchHttpClient(), { baseUrl, apiKey: key });
    return {
      get: (shortCode) => client.getShortUrl({ shortCode }),
      create: () => client.createShortUrl({ longUrl: url }),
      delete: (shortCode) => client.deleteShortUrl({ shortCode }),
    };
  },
};

const good = json({ id: 'x', url, shortLink: url });
const other = await serve(good);
const elsewhere = other.baseUrl.replace('127.0.0.1', 'localhost');
const drip = (_, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
};
const half = ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{"id":');
const cases = {
  'creation, 503': ['create', [problem(503, 'unavailable'), good]],
  'creation, 429': ['create', [problem(429, 'rate-limited', { 'Retry-After': '1' }), good]],
  'creation, lost connection': ['create', [({ socket }) => socket.destroy(), good]],
  'no answer': ['get', [() => {}]],
  'no answer, timeout set': ['get', [() => {}], 1000],
  'endless body, timeout set': ['get', [drip], 1000],
  'half a body': ['get', [half, good]],
  redirect: ['get', [(_, response) => void response.writeHead(307, { Location: elsewhere }).end()]],
  'deletion, 503, then 404': ['delete', [problem(503, 'unavailable'), problem(404, 'link-not-found')]],
};
async function measure(name, label, method, answers, timeout, id = 'x') {
  const { baseUrl, received } = await serve(...answers);
  const started = Date.now();
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error('still waiting')), 10_000));
  const outcome = await Promise.race([clients[name](baseUrl, timeout)[method](id), late]).then(
    () => 'succeeds',
    (error) => `${error?.name ?? 'an object'}: ${String(error?.message).split('\n')[0].slice(0, 50)}`,
  );
  const keys = new Set(received.map(({ headers }) => headers['idempotency-key']));
  const sent = `${received.length} requests${keys.size === 1 && !keys.has(undefined) ? ' with one key' : ''}`;
  console.log(`${name.padEnd(7)}${label.padEnd(27)}${sent.padEnd(24)}${String(Date.now() - started).padStart(6)} ms  ${outcome}`);
  return received;
}
for (const name of Object.keys(clients)) {
  for (const [label, [method, answers, timeout]] of Object.entries(cases)) {
    await measure(name, label, method, answers, timeout);
  }
  const [dot] = await measure(name, 'a code of .', 'get', [good], undefined, '.');
  const stolen = other.received.some(({ headers }) => JSON.stringify(headers).includes(key));
  other.received.length = 0;
  console.log(`${name.padEnd(7)}path for '.': ${dot?.url.pathname}; the other host has the key: ${stolen}`);
}
process.exit();
