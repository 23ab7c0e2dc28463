// `verifyWebhook` and the library of Standard Webhooks agree.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { verifyWebhook, WebhookVerificationError, type WebhookEvent, type WebhookHeaders } from '@terse/client';
import { Webhook } from 'standardwebhooks';

const secret = `whsec_${Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7 % 256)).toString('base64')}`;
const body = JSON.stringify({ type: 'link.deleted', timestamp: '2026-11-28T12:00:00Z', data: { short_code: 'ä', external_id: null, event_id: 7 } });
const now = () => Math.floor(Date.now() / 1000);

function sign(timestamp = now(), text = body, by = secret): Record<string, string> {
  const key = Buffer.from(by.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${text}`).digest('base64');
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` };
}
const refused = (headers: WebhookHeaders, text = body) => assert.rejects(verifyWebhook(secret, headers, text), WebhookVerificationError);

test('a delivery is verified, in each form in which servers have it', async () => {
  const timestamp = now();
  const headers = sign(timestamp);
  assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
  const signed = new Webhook(secret).sign('msg_1', new Date(1000 * timestamp), body);
  assert.equal((await verifyWebhook(secret, { ...headers, 'webhook-signature': signed }, body)).type, 'link.deleted');
  const bytes = Buffer.from(body);
  for (const form of [body, bytes, new Uint8Array(bytes).buffer]) {
    for (const given of [headers, new Headers(headers), { 'Webhook-Id': 'msg_1', ...headers }]) {
      const event: WebhookEvent = await verifyWebhook(secret, given, form);
      assert(event.type === 'link.deleted');
      // The type tells what the data are.
      assert.deepEqual([event.data.short_code, event.data.event_id], ['ä', 7]);
    }
  }
});

test('a secret may have the line break of a file', async () => {
  for (const given of [`${secret}\n`, ` ${secret}\r\n`]) assert.equal((await verifyWebhook(given, sign(), body)).type, 'link.deleted');
});

test('while a secret is being replaced, either signature is enough', async () => {
  const headers = sign();
  const other = sign(now(), body, `whsec_${Buffer.alloc(32, 1).toString('base64')}`)['webhook-signature']!;
  for (const both of [`${other} ${headers['webhook-signature']}`, `${headers['webhook-signature']} ${other}`, `v1a,xyz ${headers['webhook-signature']}`]) {
    await verifyWebhook(secret, { ...headers, 'webhook-signature': both }, body);
    new Webhook(secret).verify(body, { ...headers, 'webhook-signature': both });
  }
  await refused({ ...headers, 'webhook-signature': other });
});

test('what nobody signed is refused', async () => {
  const headers = sign();
  await refused(headers, body.replace('7', '8'));
  await refused({ ...headers, 'webhook-id': 'msg_2' });
  for (const seconds of [-301, 301]) await refused(sign(now() + seconds));
  for (const seconds of [-290, 290]) await verifyWebhook(secret, sign(now() + seconds), body);
  for (const name of Object.keys(headers)) await refused({ ...headers, [name]: undefined });
  for (const signature of ['', 'v1,', 'v1', 'v1,%%%', `v2,${headers['webhook-signature']!.slice(3)}`, headers['webhook-signature']!.slice(3)]) {
    await refused({ ...headers, 'webhook-signature': signature });
  }
  for (const timestamp of ['1e9', '9'.repeat(400), '-1', '²']) await refused({ ...headers, 'webhook-timestamp': timestamp });
  for (const name of Object.keys(headers)) {
    for (const value of ['\udcff', 'é', ['a', 'b']]) await refused({ ...headers, [name]: value });
  }
  await assert.rejects(verifyWebhook('whsec_%', headers, body), TypeError);
});
