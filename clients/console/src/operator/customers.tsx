// Customers: find them, and add one with its plan, key and domain.

import { useContext, useState } from 'preact/hooks';
import { describe, useIdempotency, useList, useLoaded } from '../shared/action';
import { useFilters, useForm } from '../shared/forms';
import { date, number } from '../shared/format';
import { Badge, Fields, Form, More, Problem, Say, Secret, stateName, Submit, Table, Text, Title } from '../shared/parts';
import { address } from '../shared/router';
import { operatorTexts as texts, scopes } from '../shared/texts';
import type { KeyCreate, Owner, OwnerCreate } from './api';
import { NewDomain } from './domains';
import { useSession } from './session';

/** Returns the options of a field for a plan. */
export function usePlanOptions() {
  const { api } = useSession();
  const plans = useLoaded((signal) => api.plans.list({}, { signal }).all(), []);
  return (plans.data ?? []).map(({ name }) => [name, name] as const);
}

export const OwnerState = ({ owner }: { owner: Owner }) =>
  owner.is_suspended ? <Badge kind="owner-suspended">{stateName('owner-suspended')}</Badge> : <Badge kind="active">{stateName('active')}</Badge>;

export const OwnerLink = ({ id, name }: { id: number | null; name: string }) =>
  id === null ? <Text>{name}</Text> : <a href={address(['customers', String(id)])}><Text>{name}</Text></a>;

const filters = { q: texts.searchCustomers, plan: texts.plan, suspended: texts.state };

export function Customers() {
  const { api, may } = useSession();
  const plans = usePlanOptions();
  const { wanted, field } = useFilters('customers', filters);
  const list = useList<Owner>((signal) => api.owners.list({
    limit: 50,
    ...(wanted.q && { q: wanted.q }),
    ...(wanted.plan && { plan_name: wanted.plan }),
    ...(wanted.suspended && { is_suspended: wanted.suspended === 'yes' }),
  }, { signal }), [JSON.stringify(wanted)]);
  return (
    <>
      <Title text={texts.customers} />
      {may('createOwner') && <Create plans={plans} onCreated={(owner) => list.change((items) => [owner, ...items])} />}
      <Fields failure={list.failure}>
        <section class="card">
          <form role="search" onSubmit={(event) => event.preventDefault()}>
            <div class="line">
              {field('q', { type: 'search' })}
              {field('plan', { options: [['', texts.any], ...plans], members: ['plan_name'] })}
              {field('suspended', { options: [['', texts.any], ['no', stateName('active')], ['yes', stateName('owner-suspended')]] })}
            </div>
          </form>
          {list.items.length === 0 && !list.isLoading && !list.failure && <p class="faint">{texts.noCustomers}</p>}
          {list.items.length > 0 && (
            <Table label={texts.customers} items={list.items} keyOf={(owner) => owner.id} columns={[
              [texts.name, (owner) => <OwnerLink {...owner} />],
              [texts.plan, (owner) => owner.plan_name],
              [texts.links, (owner) => number(owner.links), 'number'],
              [texts.state, (owner) => <OwnerState owner={owner} />],
              [texts.createdAt, (owner) => <time dateTime={owner.created_at}>{date(owner.created_at)}</time>],
            ]} />
          )}
          <More list={list} />
        </section>
      </Fields>
    </>
  );
}

const empty = { name: '', external_id: '', plan_name: '', label: '', scope: 'full', host: '', home_url: '' };
const labels = { name: texts.name, external_id: texts.externalId, plan_name: texts.plan, label: texts.keyLabel, scope: texts.scope, host: texts.domainOptional, home_url: texts.startPage };

function Create({ plans, onCreated }: { plans: (readonly [string, string])[]; onCreated: (owner: Owner) => void }) {
  const { api } = useSession();
  const say = useContext(Say);
  const { typed, replace, action, field } = useForm(empty, labels);
  const [made, setMade] = useState<{ owner: Owner; secret: string; problem?: string; domain?: { host: string; home_url: string } }>();
  const once = useIdempotency();
  const create = async () => {
    const body: OwnerCreate = {
      name: typed.name,
      ...(typed.external_id && { external_id: typed.external_id }),
      ...(typed.plan_name && { plan_name: typed.plan_name }),
      key: { label: typed.label || null, scope: typed.scope as KeyCreate['scope'] },
    };
    const { key, ...owner } = await api.owners.create(body, { idempotencyKey: once.keyOf(body) });
    const domain = { host: typed.host, owner_id: owner.id, home_url: typed.home_url || null };
    const whyNot = (error: unknown) => {
      const { text, errors } = describe(error);
      return text || errors.map(({ detail }) => detail).join(' ');
    };
    // The customer is there, so that what is wrong with the domain is no reason to create it again.
    const problem = typed.host ? await api.domains.create(domain).then(() => undefined, whyNot) : undefined;
    once.renew();
    replace(typed);
    setMade({ owner, secret: key?.secret ?? '', ...(problem && { problem, domain: { host: typed.host, home_url: typed.home_url } }) });
    onCreated(owner);
  };
  return (
    <section class="card">
      <h2>{texts.newCustomer}</h2>
      <Form action={action} onSubmit={create} label={texts.newCustomer}>
        <div class="grid">
          {field('name')}
          {field('plan_name', { options: [['', texts.defaultPlan], ...plans] })}
          {field('external_id')}
          {field('label')}
          {field('scope', { options: scopes })}
          {field('host', { placeholder: 'go.example.org' })}
          {field('home_url', { type: 'url', placeholder: 'https://www.example.org/' })}
        </div>
        <Problem failure={action.failure} />
        <div class="buttons"><Submit action={action}>{texts.createCustomer}</Submit></div>
      </Form>
      {made && (
        <>
          <Secret secret={made.secret} text={texts.secretOnce} />
          <p>{texts.createdCustomer} <OwnerLink {...made.owner} /></p>
          {made.problem && <p class="notice bad" role="alert">{texts.domainFailed(made.problem)}</p>}
          {made.domain && (
            <NewDomain key={made.owner.id} owner={made.owner} start={made.domain} onCreated={() => {
              setMade({ owner: made.owner, secret: made.secret });
              say(texts.saved);
            }} />
          )}
        </>
      )}
    </section>
  );
}
