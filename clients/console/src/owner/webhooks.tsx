// Webhooks: create, test, see deliveries, repeat, rotate.

import { useContext, useState } from 'preact/hooks';
import { type Listed, useAction, useIdempotency, useList, useLoaded } from '../shared/action';
import { Badge, Check, Confirm, Field, Form, More, Problem, Say, Secret, Shown, Submit, Text, Time, Title } from '../shared/parts';
import { isProblem } from '../shared/problems';
import { address, navigate } from '../shared/router';
import { ownerTexts as texts } from '../shared/texts';
import type { Delivery, Webhook, WebhookCreate } from './api';
import { useSession } from './session';

const types = ['link.created', 'link.updated', 'link.deleted', 'link.disabled', 'link.enabled', 'links.clicked', 'links.changed', 'owner.suspended', 'owner.resumed'] as const;

export function Webhooks() {
  const { webhooks } = useSession().api;
  const list = useList<Webhook>((signal) => webhooks.list({}, { signal }).pages(), []);
  if (isProblem(list.failure?.error) && list.failure.error.status === 404) {
    return <><Title text={texts.webhooks} /><p class="card empty">{texts.webhooksOff}</p></>;
  }
  return (
    <>
      <Title text={texts.webhooks} />
      <Create list={list} />
      <section class="card">
        <h2>{texts.yourWebhooks}</h2>
        <Problem failure={list.failure} again={list.reload} />
        {list.items.length === 0 && !list.isLoading && <p class="faint">{texts.noWebhooks}</p>}
        <ul class="history">
          {list.items.map((one) => (
            <li key={one.id}>
              <a href={address(['webhooks', String(one.id)])}><Text>{one.url}</Text></a> <State webhook={one} />
              {one.description && <p><Text>{one.description}</Text></p>}
              <p class="faint">{one.types.join(', ')}</p>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

const State = ({ webhook }: { webhook: Webhook }) =>
  <Badge kind={webhook.is_enabled ? 'active' : 'paused'}>{webhook.is_enabled ? texts.enabled : texts.disabled}</Badge>;

function Types({ chosen, onChange }: { chosen: readonly string[]; onChange: (types: string[]) => void }) {
  return (
    <fieldset>
      <legend>{texts.eventTypes}</legend>
      <div class="grid">
        {types.map((type) => (
          <Check key={type} name={type} label={type} isChecked={chosen.includes(type)}
            onChange={(isChosen) => onChange(types.filter((one) => (one === type ? isChosen : chosen.includes(one))))} />
        ))}
      </div>
    </fieldset>
  );
}

const empty = { url: '', description: '', types: ['link.created'] as string[] };

function Create({ list }: { list: Listed<Webhook> }) {
  const { webhooks } = useSession().api;
  const [typed, setTyped] = useState(empty);
  const [secret, setSecret] = useState<string>();
  const action = useAction(['url', 'description']);
  const once = useIdempotency();
  const create = async () => {
    const body = { url: typed.url.trim(), types: typed.types, description: typed.description || null } as WebhookCreate;
    const { secret: made, ...webhook } = await webhooks.create(body, { idempotencyKey: once.keyOf(body) });
    once.renew();
    setSecret(made);
    setTyped(empty);
    list.change((items) => [webhook, ...items]);
  };
  return (
    <section class="card">
      <h2>{texts.newWebhook}</h2>
      <Form action={action} onSubmit={create} label={texts.newWebhook}>
        <div class="line">
          <Field name="url" label={texts.url} type="url" placeholder="https://example.org/terse" action={action} value={typed.url} onChange={(url) => setTyped((old) => ({ ...old, url }))} />
          <Field name="description" label={texts.description} action={action} value={typed.description} onChange={(description) => setTyped((old) => ({ ...old, description }))} />
        </div>
        <Types chosen={typed.types} onChange={(chosen) => setTyped((old) => ({ ...old, types: chosen }))} />
        <Problem failure={action.failure} />
        <div class="buttons"><Submit action={action}>{texts.createWebhook}</Submit></div>
      </Form>
      <Secret secret={secret} text={texts.webhookSecret} />
    </section>
  );
}

export function WebhookPage({ id: segment }: { id: string }) {
  const id = Number(segment);
  const { webhooks } = useSession().api;
  const webhook = useLoaded((signal) => webhooks.get(id, { signal }), [id]);
  return (
    <>
      <p class="trail"><a href={address(['webhooks'])}>← {texts.webhooks}</a></p>
      {!webhook.data && <Title text={texts.webhooks} />}
      <Shown of={webhook}>{(shown) => <Edit webhook={shown} set={webhook.set} />}</Shown>
      <Deliveries id={id} />
    </>
  );
}

function Edit({ webhook, set }: { webhook: Webhook; set: (webhook: Webhook) => void }) {
  const { webhooks } = useSession().api;
  const say = useContext(Say);
  const [typed, setTyped] = useState(webhook);
  const [secret, setSecret] = useState<string>();
  const [asked, setAsked] = useState<'delete' | 'rotate'>();
  const [tested, setTested] = useState<string>();
  const saving = useAction(['url', 'description']);
  const testing = useAction();
  const save = async (values: object) => {
    const saved = await webhooks.update(webhook.id, values, { ifMatch: webhook });
    setTyped(saved);
    set(saved);
    say(texts.saved);
  };
  const test = () => testing.run(async () => {
    const { status_code, error, milliseconds } = await webhooks.test(webhook.id);
    setTested(texts.attempt(status_code ?? null, error ?? null, milliseconds));
  });
  return (
    <>
      <div class="head">
        <Title text={webhook.url}><Text>{webhook.url}</Text></Title>
        <State webhook={webhook} />
        <div class="buttons">
          <button class="primary" onClick={test} aria-disabled={testing.isBusy}>{texts.sendTest}</button>
          <button onClick={() => saving.run(() => save({ is_enabled: !webhook.is_enabled }))}>{webhook.is_enabled ? texts.disable : texts.enable}</button>
          <button onClick={() => setAsked('rotate')}>{texts.rotate}</button>
          <button class="danger" onClick={() => setAsked('delete')}>{texts.delete}</button>
        </div>
      </div>
      {tested && <p class="notice good" role="status">{tested}</p>}
      <Problem failure={testing.failure} />
      <Secret secret={secret} text={texts.webhookSecret} />
      {webhook.disabled_reason && <p class="notice bad">{texts.disabledBecause(webhook.disabled_reason)}</p>}
      <section class="card">
        <h2>{texts.properties}</h2>
        <Form action={saving} label={texts.properties} onSubmit={() => save({ url: typed.url, description: typed.description || null, types: typed.types })}>
          <Field name="url" label={texts.url} type="url" action={saving} value={typed.url} onChange={(url) => setTyped((old) => ({ ...old, url }))} />
          <Field name="description" label={texts.description} action={saving} value={typed.description ?? ''} onChange={(description) => setTyped((old) => ({ ...old, description }))} />
          <Types chosen={typed.types} onChange={(chosen) => setTyped((old) => ({ ...old, types: chosen as Webhook['types'] }))} />
          <Problem failure={saving.failure} />
          <div class="buttons"><Submit action={saving}>{texts.save}</Submit></div>
        </Form>
        <p class="hint">
          {texts.waiting(webhook.waiting, webhook.dropped)}
          {webhook.last_success_at && <> {texts.lastSuccess} <Time at={webhook.last_success_at} />.</>}
          {webhook.last_failure_at && <> {texts.lastFailure} <Time at={webhook.last_failure_at} />.</>}
        </p>
      </section>
      {asked === 'rotate' && (
        <Confirm title={texts.rotateTitle} text={texts.rotateText} label={texts.rotate} onClose={() => setAsked(undefined)}
          work={async () => setSecret((await webhooks.rotate(webhook.id)).secret)} />
      )}
      {asked === 'delete' && (
        <Confirm title={texts.deleteWebhook} text={texts.deleteWebhookText} label={texts.delete} isDangerous onClose={() => setAsked(undefined)}
          work={async () => {
            await webhooks.delete(webhook.id);
            navigate(address(['webhooks']), true);
          }} />
      )}
    </>
  );
}

function Deliveries({ id }: { id: number }) {
  const { webhooks } = useSession().api;
  const say = useContext(Say);
  const list = useList<Delivery>((signal) => webhooks.deliveries(id, { limit: 50 }, { signal }).pages(), [id]);
  const action = useAction();
  const retry = (delivery: Delivery) => action.run(async () => {
    await webhooks.retryDelivery(id, delivery.id);
    say(texts.repeated);
    list.reload();
  });
  return (
    <section class="card">
      <div class="bar"><h2>{texts.deliveries}</h2><button onClick={list.reload}>{texts.refresh}</button></div>
      <Problem failure={list.failure ?? action.failure} />
      {list.items.length === 0 && !list.isLoading && <p class="faint">{texts.noDeliveries}</p>}
      <ul class="history">
        {list.items.map((one) => (
          <li key={one.id}>
            <div class="bar">
              <span><Badge kind={one.status === 'delivered' ? 'active' : one.status === 'failed' ? 'disabled' : 'paused'}>{one.status}</Badge> {one.type} <span class="faint"><Time at={one.created_at} /></span></span>
              {one.status !== 'erased' && <button class="quiet" aria-label={texts.repeatOf(one.id)} onClick={() => retry(one)}>{texts.repeat}</button>}
            </div>
            <ul class="faint">
              {one.attempts.map((attempt) => (
                <li key={attempt.created_at}><Time at={attempt.created_at} />: {texts.attempt(attempt.status_code, attempt.error, attempt.milliseconds)}</li>
              ))}
              {one.next_attempt_at && <li>{texts.nextAttempt} <Time at={one.next_attempt_at} /></li>}
            </ul>
          </li>
        ))}
      </ul>
      <More list={list} />
    </section>
  );
}
