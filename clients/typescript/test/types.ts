// What compiles, and what does not. Only type-checked.

import { isProblem, problems, Terse, TerseOperator, type Link, type LinkBatchItem, type LinkCreate, type operator as o, type v1 } from '@terse/client';
import type { Domain } from '@terse/client/operator';

declare const terse: Terse;
declare const operator: TerseOperator;
declare const link: Link;
declare const item: LinkBatchItem;

// @ts-expect-error A state that does not exist.
export const isPaused = link.state === 'pasued';
// @ts-expect-error
terse.links.list({ state: 'pasued' });
// @ts-expect-error
terse.links.update('code', { is_paused: 7 });
// @ts-expect-error An owner is missing.
operator.domains.create({ host: 'go.example' });
// @ts-expect-error A pattern is missing.
operator.blocks.delete();
// @ts-expect-error
terse.links.create({ title: 'without a destination' });
// @ts-expect-error
terse.links.update('code', { tilte: 'a typing error' });
// @ts-expect-error A list has no version.
terse.links.list({}, { ifMatch: link });
// @ts-expect-error Without a version.
terse.links.update('code', {}, { ifMatch: { title: 'from elsewhere' } });
// @ts-expect-error Reading needs no idempotency key.
terse.links.get('code', { idempotencyKey: 'a' });
// @ts-expect-error
isProblem(new Error(), 'link-not-fuond');
// @ts-expect-error
problems.LinkNotFuond;

// Headers in each form, also without the types of browsers.
terse.links.get('code', { headers: { traceparent: '00' } });
terse.links.get('code', { headers: [['traceparent', '00']] });
terse.links.get('code', { headers: new Map([['traceparent', '00']]) });
terse.links.get('code', { headers: new Headers() });
// @ts-expect-error
terse.links.get('code', { headers: { traceparent: 0 } });

// A date is a time wherever a request has one.
terse.links.create({ destination_url: 'https://example.org/', expires_at: new Date() });
terse.links.createMany([{ destination_url: 'https://example.org/', expires_at: new Date() }] satisfies LinkCreate[]);
terse.links.list({ created_after: new Date(), created_before: '2027-01-01T00:00:00Z' });
// A response has texts.
export const created: string = link.created_at;

// The status tells whether there is a link.
export const code: string = item.status === 201 ? item.link.short_code : (item.problem?.code ?? 'updated');
export const detail = (error: unknown) => error instanceof problems.CodeInUse && error.code satisfies 'code-in-use';
export const hosts = async (): Promise<Domain[]> => operator.domains.list().all({ limit: 5 });
export const plain: v1.Link | undefined = (await terse.listLinks().all())[0];
export const theirs: o.Link | undefined = (await operator.links.list().all())[0];
