import express from 'express';
import { verifyWebhook, WebhookVerificationError } from '@terse/client';

const secret = process.env['TERSE_WEBHOOK_SECRET']!;

export const app = express();
// The signature is that of the bytes, so nothing may parse them before. A delivery has up to 128 KiB.
app.post('/webhooks', express.raw({ type: 'application/json', limit: '128kb' }), async (request, response) => {
  try {
    const event = await verifyWebhook(secret, request.headers, request.body as Buffer);
    if (event.type === 'link.deleted') console.log(`${event.data.short_code} is gone`);
    response.sendStatus(204);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(400).send(error.message);
  }
});
