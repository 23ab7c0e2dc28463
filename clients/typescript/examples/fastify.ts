import Fastify from 'fastify';
import { verifyWebhook, WebhookVerificationError } from '@terse/client';

const secret = process.env['TERSE_WEBHOOK_SECRET']!;

export const app = Fastify();
// The signature is that of the bytes, so nothing may parse them before.
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.post('/webhooks', async (request, reply) => {
  try {
    const event = await verifyWebhook(secret, request.headers, request.body as Buffer);
    if (event.type === 'link.deleted') console.log(`${event.data.short_code} is gone`);
    return reply.code(204).send();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return reply.code(400).send(error.message);
  }
});
