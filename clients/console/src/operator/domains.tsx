// Domains of customers.

import { useState } from 'preact/hooks';
import { useIdempotency, useList } from '../shared/action';
import { Edit, useForm } from '../shared/forms';
import { Badge, Dialog, Form, More, Problem, Submit, Table, Text, Title } from '../shared/parts';
import { operatorTexts as texts } from '../shared/texts';
import type { Domain, Owner } from './api';
import { Ask } from './audit';
import { OwnerLink } from './customers';
import { useSession } from './session';

export const DomainScreen = () => (
  <>
    <Title text={texts.domains} />
    <Domains />
  </>
);

/** The domains of a customer, or of all, read again for another `version`. */
export function Domains({ owner, version, onChanged }: { owner?: Owner; version?: number; onChanged?: () => void }) {
  const { api, may } = useSession();
  const list = useList<Domain>((signal) => api.domains.list({ limit: 50, ...(owner && { owner_id: owner.id }) }, { signal }), [version]);
  const reload = () => { list.reload(); onChanged?.(); };
  const [edited, setEdited] = useState<Domain>();
  const [removed, setRemoved] = useState<Domain>();
  return (
    <section class="card">
      {owner && <h2>{texts.domains}</h2>}
      {may('createDomain') && owner && <NewDomain owner={owner} onCreated={reload} />}
      {list.items.length === 0 && !list.isLoading && !list.failure && <p class="faint">{texts.noDomains}</p>}
      {list.items.length > 0 && (
        <Table label={texts.domains} items={list.items} keyOf={(one) => one.host} columns={[
          [texts.domain, (one) => <><Text>{one.host}</Text> {one.is_default && <Badge kind="active">{texts.defaultDomain}</Badge>}</>],
          ...(owner ? [] : [[texts.customer, (one: Domain) => <OwnerLink id={one.owner_id} name={one.owner_name} />] as const]),
          [texts.startPage, (one) => (one.home_url ? <Text>{one.home_url}</Text> : <span class="faint">{texts.ownPage}</span>)],
          ['', (one) => may('updateDomain') && (
            <>
              <button class="quiet" aria-label={texts.editOf(one.host)} onClick={() => setEdited(one)}>{texts.edit}</button>
              <button class="quiet" aria-label={texts.removeOf(one.host)} onClick={() => setRemoved(one)}>{texts.remove}</button>
            </>
          )],
        ]} />
      )}
      <More list={list} />
      {edited && (
        <Dialog title={texts.editOf(edited.host)} onClose={() => setEdited(undefined)}>
          <Edit thing={edited} title={texts.properties} set={() => { setEdited(undefined); reload(); }} by={{
            labels: { home_url: texts.startPage, is_default: texts.makeDefault },
            valuesOf: ({ home_url, is_default }) => ({ home_url: home_url ?? '', is_default }),
            read: () => api.domains.get(edited.host),
            update: (patch, options) => api.domains.update(edited.host, patch, options),
          }}>
            {(field) => <>{field('home_url', { type: 'url' })}{!edited.is_default && field('is_default')}</>}
          </Edit>
        </Dialog>
      )}
      {removed && (
        <Ask title={texts.removeOf(removed.host)} text={texts.removeDomainText} label={texts.remove} isDangerous onClose={() => setRemoved(undefined)}
          done={texts.removed(removed.host)} work={async (audit) => {
            await api.domains.delete(removed.host, audit);
            list.change((items) => items.filter((one) => one !== removed));
            onChanged?.();
          }} />
      )}
    </section>
  );
}

const empty = { host: '', home_url: '', accept_destinations: false };
const labels = { host: texts.domain, home_url: texts.startPage, accept_destinations: texts.acceptDestinations };

export function NewDomain({ owner, start = {}, onCreated }: { owner: Owner; start?: Partial<typeof empty>; onCreated: () => void }) {
  const { api } = useSession();
  const { typed, replace, action, field } = useForm({ ...empty, ...start }, labels);
  const once = useIdempotency();
  const create = async () => {
    const body = { ...typed, home_url: typed.home_url || null, owner_id: owner.id };
    await api.domains.create(body, { idempotencyKey: once.keyOf(body) });
    once.renew();
    replace(typed);
    onCreated();
  };
  return (
    <Form action={action} onSubmit={create} label={texts.newDomain}>
      <div class="line">
        {field('host', { placeholder: 'go.example.org' })}
        {field('home_url', { type: 'url', placeholder: 'https://www.example.org/' })}
        <Submit action={action}>{texts.addDomain}</Submit>
      </div>
      {field('accept_destinations')}
      <Problem failure={action.failure} />
    </Form>
  );
}
