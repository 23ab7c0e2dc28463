// The receivers of `examples` accept what was signed, and nothing else.

import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
process.env['TERSE_WEBHOOK_SECRET'] = secret;
const delivery = (type: string, short_code: string) =>
  JSON.stringify({ type, timestamp: '2026-11-28T12:00:00Z', data: { short_code, external_id: null, event_id: 7 } });
// As large as a delivery can be.
const largest = delivery('test', 'x'.repeat(128 * 1024 - delivery('test', '').length));

async function check(send: Send) {
  await checkWith(delivery('link.deleted', 'ä'), send);
  await checkWith(largest, send);
}

type Send = (init: { method: 'POST'; headers: Record<string, string>; body: string }) => Promise<number>;

async function checkWith(body: string, send: Send) {
  const now = new Date();
  const headers = {
    'Content-Type': 'application/json',
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
  };
  assert.equal(await send({ method: 'POST', headers, body }), 204);
  assert.equal(await send({ method: 'POST', headers, body: body.replace('7', '8') }), 400);
}

test('express', async () => {
  const { app } = await import('./examples/express.js');
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  await check(async (init) => (await fetch(url, init)).status).finally(() => server.close());
});

test('fastify', async () => {
  const { app } = await import('./examples/fastify.js');
  await check(async ({ body: payload, ...init }) => (await app.inject({ url: '/webhooks', payload, ...init })).statusCode);
});

test('hono', async () => {
  const { app } = await import('./examples/hono.js');
  await check(async (init) => (await app.request('/webhooks', init)).status);
});
