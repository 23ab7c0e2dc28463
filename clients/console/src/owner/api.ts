// The project's own package, as this console uses it.

import { Terse } from '@terse/client';
import { connection } from '../shared/connection';

export type { ClickReport, ClickReportRow, CreateOptions, Delivery, Event, KeyCreate, Link, LinkChange, LinkCreate, LinkUpdate, Owner, Webhook, WebhookCreate } from '@terse/client';

/** Connects to the server that serves this page. `onUnauthorized` is called when it rejects the key. */
export const connect = (key: string, onUnauthorized: () => void): Terse => new Terse(connection(key, onUnauthorized));
