import { Hono } from 'hono';
import { verifyWebhook, WebhookVerificationError } from '@terse/client';

const secret = process.env['TERSE_WEBHOOK_SECRET']!;

export const app = new Hono();
app.post('/webhooks', async (context) => {
  try {
    const event = await verifyWebhook(secret, context.req.raw.headers, await context.req.arrayBuffer());
    if (event.type === 'link.deleted') console.log(`${event.data.short_code} is gone`);
    return context.body(null, 204);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return context.text(error.message, 400);
  }
});
