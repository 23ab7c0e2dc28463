// Keys: create one, which is shown once, and revoke one.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Paged, useIdempotency, useList } from './action';
import { useForm } from './forms';
import { Badge, Confirm, Form, More, Problem, Secret, Submit, Table, Text, Time } from './parts';
import { texts } from './texts';

/** A key of an owner or of an operator, whose scope is its role. */
export interface AnyKey {
  id: number;
  label: string | null;
  scope: string;
  hint: string | null;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
}

interface KeyListProps {
  /** The key that is signed in, which cannot be revoked. */
  own?: number;
  words?: typeof ownerWords;
  /** What else is known of a key. */
  more?: (key: AnyKey) => ComponentChildren;
}

const empty = { label: '', scope: '', expires_at: '' };
/** What the members of a key are called. */
const ownerWords = { keys: texts.keys, label: texts.label, scope: texts.scope };

/** Keys, and what the visitor may do with them. */
export function Keys({ list, create, revoke, revokeFields, scopes, start, version, words = ownerWords, ...shown }: KeyListProps & {
  list: (signal: AbortSignal) => Paged<AnyKey>;
  create?: ((key: typeof empty, options: { idempotencyKey: string }) => Promise<AnyKey & { secret: string }>) | undefined;
  revoke?: ((id: number) => Promise<unknown>) | undefined;
  revokeFields?: ComponentChildren;
  scopes: readonly (readonly [scope: string, text: string])[];
  start: string;
  /** Another version reads the keys again. */
  version?: number;
}) {
  const keys = useList(list, [version]);
  const { typed, replace, action, field } = useForm({ ...empty, scope: start }, { ...words, expires_at: texts.expires });
  const [made, setMade] = useState<AnyKey & { secret: string }>();
  const [revoked, setRevoked] = useState<AnyKey>();
  const once = useIdempotency();
  const submit = async () => {
    const key = await (create as NonNullable<typeof create>)(typed, { idempotencyKey: once.keyOf(typed) });
    once.renew();
    setMade(key);
    replace(typed);
    keys.change((items) => [key, ...items]);
  };
  return (
    <section class="card">
      <h2>{words.keys}</h2>
      {create && (
        <Form action={action} onSubmit={submit} label={texts.newKey}>
          <div class="line">
            {field('label', { members: ['name'] })}
            {field('scope', { options: scopes, members: ['role'] })}
            {field('expires_at', { type: 'datetime-local' })}
            <Submit action={action}>{texts.createKey}</Submit>
          </div>
          <Problem failure={action.failure} />
        </Form>
      )}
      <Secret secret={made?.secret} text={texts.secretOnce} />
      <KeyTable keys={keys.items} words={words} {...shown} onRevoke={revoke && setRevoked} />
      <More list={keys} />
      {revoke && revoked && (
        <Confirm title={texts.revokeTitle(revoked.label ?? texts.noLabel)} text={texts.revokeText} label={texts.revoke} isDangerous
          done={texts.revokedKey(revoked.label ?? texts.noLabel)} onClose={() => setRevoked(undefined)}
          work={async () => {
            await revoke(revoked.id);
            if (made?.id === revoked.id) setMade(undefined);
            const revoked_at = new Date().toISOString();
            keys.change((items) => items.map((key) => (key.id === revoked.id ? { ...key, revoked_at } : key)));
          }}>
          {revokeFields}
        </Confirm>
      )}
    </section>
  );
}

export function KeyTable({ keys, own, more, words = ownerWords, onRevoke }: KeyListProps & { keys: AnyKey[]; onRevoke?: ((key: AnyKey) => void) | undefined }) {
  const isPast = (key: AnyKey) => key.expires_at !== null && Date.parse(key.expires_at) < Date.now();
  const timeOr = (at: string | null) => (at ? <Time at={at} /> : <span class="faint">{texts.never}</span>);
  return (
    <Table label={words.keys} items={keys} keyOf={(key) => key.id} columns={[
      [words.label, (key) => (
        <>
          {key.label ? <Text>{key.label}</Text> : <span class="faint">{texts.noLabel}</span>} {key.hint && <code class="faint">…{key.hint}</code>}{' '}
          {key.id === own && <Badge kind="active">{texts.thisOne}</Badge>}
        </>
      )],
      [words.scope, (key) => key.scope],
      [texts.createdAt, (key) => <Time at={key.created_at} />],
      [texts.lastUsed, (key) => timeOr(key.last_used_at)],
      [texts.expires, (key) => timeOr(key.expires_at)],
      ['', (key) => (
        <>
          {more?.(key)}{' '}
          {key.revoked_at ? <Badge kind="disabled">{texts.revoked}</Badge>
            : isPast(key) ? <Badge kind="expired">{texts.states.expired}</Badge>
            : onRevoke && key.id !== own && <button class="quiet" aria-label={texts.revokeTitle(key.label ?? texts.noLabel)} onClick={() => onRevoke(key)}>{texts.revoke}</button>}
        </>
      )],
    ]} />
  );
}
