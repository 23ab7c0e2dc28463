import { TerseError } from './problem.js';
import type { components, Link } from './types/manage.js';

const TOLERANCE = 300;

interface Payloads {
  'link.created': { link: Link };
  'link.updated': { link: Link; event_id: number; changes: { before: Partial<Link>; after: Partial<Link> } };
  'link.deleted': { short_code: string; external_id: string | null; event_id: number };
  'link.disabled': { link: Link; event_id: number; reason: string | null };
  'link.enabled': { link: Link; event_id: number; reason: string | null };
  'links.clicked': { links: { short_code: string; external_id: string | null; clicks: number }[] };
  'links.changed': { event_id: number; action: string; changed: number };
  'owner.suspended': { reason: string | null };
  'owner.resumed': { reason: string | null };
  'webhook.test': Record<string, never>;
}

type Payload = { [Type in keyof Payloads]: { type: Type; timestamp: string; data: Payloads[Type] } }[keyof Payloads];

/** What a delivery reports. Servers may add types. */
export type WebhookEvent = components['schemas'] extends { WebhookEvent: infer Event } ? Event : Payload;

/** The headers of a delivery, as `fetch` or a server of Node.js has them. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>;

/** A delivery is not from the server that has the secret, or too old. */
export class WebhookVerificationError extends TerseError {
  override name = 'WebhookVerificationError';
}

/**
 * Returns the event of a delivery if it was signed with the secret within the last five minutes.
 *
 * `body` must be as it was received. The header `webhook-id` is the same for each repeat of a delivery.
 */
export async function verifyWebhook(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array | ArrayBuffer,
): Promise<WebhookEvent> {
  // A secret that a program reads from a file may end with a line break.
  const raw = decode(secret.trim().replace(/^whsec_/, ''));
  if (!raw?.length) {
    throw new TypeError('the secret must be whsec_ and base64');
  }
  const given = new Map([...entries(headers)].map(([name, value]) => [name.toLowerCase(), String(value ?? '')]));
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => given.get(name));
  if (!id || !/^\d+$/.test(timestamp ?? '') || !signatures) {
    throw new WebhookVerificationError('the headers of the signature are missing or malformed');
  }
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE) {
    throw new WebhookVerificationError('the delivery is not from the last five minutes');
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const signed = new Uint8Array([...new TextEncoder().encode(`${id}.${timestamp}.`), ...bytes]);
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  // While a secret is being replaced, there are two. `verify` takes the same time for each.
  const isGenuine = await Promise.all(
    signatures.split(' ').map((one) => crypto.subtle.verify('HMAC', key, decode(/^v1,(.+)/.exec(one)?.[1] ?? '') ?? new Uint8Array(), signed)),
  );
  if (!isGenuine.includes(true)) {
    throw new WebhookVerificationError('the signature is wrong');
  }
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
}

function entries(headers: WebhookHeaders): Iterable<[string, unknown]> {
  return headers instanceof Headers ? headers.entries() : Object.entries(headers);
}

function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
