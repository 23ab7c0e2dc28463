// Webhooks: create, test, see deliveries, repeat, rotate.

import { useContext, useState } from 'preact/hooks';
import { type Listed, useAction, useIdempotency, useList, useLoaded } from '../shared/action';
import { Edit, useForm } from '../shared/forms';
import { Badge, Confirm, Form, More, Problem, Say, Secret, Shown, Submit, Text, Time, Title } from '../shared/parts';
import { isProblem } from '../shared/problems';
import { address, navigate } from '../shared/router';
import { ownerTexts as texts } from '../shared/texts';
import type { Delivery, Webhook, WebhookCreate } from './api';
import { useSession } from './session';

const types = ['link.created', 'link.updated', 'link.deleted', 'link.disabled', 'link.enabled', 'links.clicked', 'links.changed', 'owner.suspended', 'owner.resumed'] as const;

export function Webhooks() {
  const { webhooks } = useSession().api;
  const list = useList<Webhook>((signal) => webhooks.list({}, { signal }), []);
  if (isProblem(list.failure?.error) && list.failure.error.status === 404) {
    return <><Title text={texts.webhooks} /><p class="card empty">{texts.webhooksOff}</p></>;
  }
  return (
    <>
      <Title text={texts.webhooks} />
      <Create list={list} />
      <section class="card">
        <h2>{texts.yourWebhooks}</h2>
        {list.items.length === 0 && !list.isLoading && !list.failure && <p class="faint">{texts.noWebhooks}</p>}
        <ul class="history">
          {list.items.map((one) => (
            <li key={one.id}>
              <a href={address(['webhooks', String(one.id)])}><Text>{one.url}</Text></a> <State webhook={one} />
              {one.description && <p><Text>{one.description}</Text></p>}
              <p class="faint">{one.types.join(', ')}</p>
            </li>
          ))}
        </ul>
        <More list={list} />
      </section>
    </>
  );
}

const State = ({ webhook }: { webhook: Webhook }) =>
  <Badge kind={webhook.is_enabled ? 'active' : 'paused'}>{webhook.is_enabled ? texts.enabled : texts.disabled}</Badge>;

const empty = { url: '', description: '', types: 'link.created' };
const labels = { url: texts.url, description: texts.description, types: texts.eventTypes };
const toTypes = (text: string) => text.split(' ').filter(Boolean) as Webhook['types'];

function Create({ list }: { list: Listed<Webhook> }) {
  const { webhooks } = useSession().api;
  const { typed, replace, action, field } = useForm(empty, labels);
  const [secret, setSecret] = useState<string>();
  const once = useIdempotency();
  const create = async () => {
    const body: WebhookCreate = { url: typed.url.trim(), types: toTypes(typed.types), description: typed.description || null };
    const { secret: made, ...webhook } = await webhooks.create(body, { idempotencyKey: once.keyOf(body) });
    once.renew();
    setSecret(made);
    replace(typed);
    list.change((items) => [webhook, ...items]);
  };
  return (
    <section class="card">
      <h2>{texts.newWebhook}</h2>
      <Form action={action} onSubmit={create} label={texts.newWebhook}>
        <div class="line">
          {field('url', { type: 'url', placeholder: 'https://example.org/terse' })}
          {field('description')}
        </div>
        {field('types', { choices: types })}
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
      <Shown of={webhook}>{(shown) => <One webhook={shown} set={webhook.set} />}</Shown>
      <Deliveries id={id} />
    </>
  );
}

function One({ webhook, set }: { webhook: Webhook; set: (webhook: Webhook) => void }) {
  const { webhooks } = useSession().api;
  const say = useContext(Say);
  const [secret, setSecret] = useState<string>();
  const [asked, setAsked] = useState<'delete' | 'rotate'>();
  const [tested, setTested] = useState<string>();
  const once = useIdempotency();
  const action = useAction();
  const enable = () => action.run(async () => {
    set(await webhooks.update(webhook.id, { is_enabled: !webhook.is_enabled }));
    say(texts.saved);
  });
  const test = () => action.run(async () => {
    const { status_code, error, milliseconds } = await webhooks.test(webhook.id);
    setTested(texts.attempt(status_code ?? null, error ?? null, milliseconds));
  });
  return (
    <>
      <div class="head">
        <Title text={webhook.url}><Text>{webhook.url}</Text></Title>
        <State webhook={webhook} />
        <div class="buttons">
          <button class="primary" onClick={test} aria-disabled={action.isBusy}>{texts.sendTest}</button>
          <button onClick={enable} aria-disabled={action.isBusy}>{webhook.is_enabled ? texts.disable : texts.enable}</button>
          <button onClick={() => setAsked('rotate')}>{texts.rotate}</button>
          <button class="danger" onClick={() => setAsked('delete')}>{texts.delete}</button>
        </div>
      </div>
      {tested && <p class="notice good" role="status">{tested}</p>}
      <Problem failure={action.failure} />
      <Secret secret={secret} text={texts.webhookSecret} />
      {webhook.disabled_reason && <p class="notice bad">{texts.disabledBecause(webhook.disabled_reason)}</p>}
      <Edit thing={webhook} set={set} title={texts.properties} by={{
        labels,
        valuesOf: ({ url, description, types }) => ({ url, description: description ?? '', types: types.join(' ') }),
        convert: { url: String, types: toTypes },
        read: () => webhooks.get(webhook.id),
        update: (patch, options) => webhooks.update(webhook.id, patch, options),
      }}>
        {(field) => (
          <>
            {field('url', { type: 'url' })}
            {field('description')}
            {field('types', { choices: types })}
            <p class="hint">
              {texts.waiting(webhook.waiting, webhook.dropped)}
              {webhook.last_success_at && <> {texts.lastSuccess} <Time at={webhook.last_success_at} />.</>}
              {webhook.last_failure_at && <> {texts.lastFailure} <Time at={webhook.last_failure_at} />.</>}
            </p>
          </>
        )}
      </Edit>
      {asked === 'rotate' && (
        <Confirm title={texts.rotateTitle} text={texts.rotateText} label={texts.rotate} onClose={() => setAsked(undefined)}
          work={async () => {
            setSecret((await webhooks.rotate(webhook.id, { idempotencyKey: once.keyOf(['rotate', webhook.id]) })).secret);
            once.renew();
          }} />
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
  const list = useList<Delivery>((signal) => webhooks.deliveries(id, { limit: 50 }, { signal }), [id]);
  const action = useAction();
  const retry = (delivery: Delivery) => action.run(async () => {
    await webhooks.retryDelivery(id, delivery.id);
    say(texts.repeated);
    list.reload();
  });
  return (
    <section class="card">
      <div class="bar"><h2>{texts.deliveries}</h2><button onClick={list.reload}>{texts.refresh}</button></div>
      <Problem failure={action.failure} />
      {list.items.length === 0 && !list.isLoading && !list.failure && <p class="faint">{texts.noDeliveries}</p>}
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
