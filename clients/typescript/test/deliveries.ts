// The official library and `verifyWebhook` accept what a server delivers, and nothing else.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { verifyWebhook, WebhookVerificationError } from '@terse/client';
import { Webhook } from 'standardwebhooks';

interface Delivery {
  headers: Record<string, string>;
  body: string;
  signed_by: number;
}
const { secrets, deliveries } = JSON.parse(readFileSync(process.env['DELIVERIES']!, 'utf8')) as { secrets: string[]; deliveries: Delivery[] };

async function refused(secret: string, headers: Record<string, string>, body: string) {
  assert.throws(() => new Webhook(secret).verify(body, headers));
  await assert.rejects(verifyWebhook(secret, headers, body), WebhookVerificationError);
}

const types = new Set<string>();
for (const { headers, body, signed_by } of deliveries) {
  // While a secret is being replaced, both sign.
  for (const secret of secrets.slice(0, signed_by)) {
    const event = await verifyWebhook(secret, headers, body);
    assert.deepEqual(new Webhook(secret).verify(body, headers), event);
    types.add(event.type);
  }
  const [first, second] = secrets as [string, string];
  if (signed_by === 1) await refused(second, headers, body);
  await refused(first, headers, body.replace('"type":"', '"type":"x'));
  await refused(first, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 600) }, body);
  await refused(first, { ...headers, 'webhook-id': 'msg_x' }, body);
}
console.log(`measured: ${deliveries.length} deliveries of ${types.size} types verified`);
