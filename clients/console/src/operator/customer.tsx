// A customer: plan, state, keys, domains, usage and events.

import { useContext, useState } from 'preact/hooks';
import { type Loaded, useLoaded } from '../shared/action';
import { Edit } from '../shared/forms';
import { date, fromLocalInput, month, number, utcMonth } from '../shared/format';
import { Keys } from '../shared/keys';
import { Field, Say, Shown, Table, Title, Text } from '../shared/parts';
import { address, navigate } from '../shared/router';
import { operatorTexts as texts, scopes } from '../shared/texts';
import type { KeyCreate, Owner } from './api';
import { Ask, useAudit } from './audit';
import { OwnerState, usePlanOptions } from './customers';
import { Domains } from './domains';
import { Events } from './history';
import { useSession } from './session';

export function CustomerPage({ id: segment }: { id: string }) {
  const { api, may } = useSession();
  const id = Number(segment);
  const owner = useLoaded((signal) => api.owners.get(id, { signal }), [id]);
  const plans = usePlanOptions();
  const { audit, fields } = useAudit();
  // Counts what this page changed, so that the history shows it.
  const [changes, setChanges] = useState(0);
  // Counts what the history undid, so that the lists show it.
  const [undone, setUndone] = useState(0);
  const count = () => setChanges((number) => number + 1);
  const counted = <T,>(change: Promise<T>) => change.then((result) => (count(), result));
  return (
    <>
      <p class="trail"><a href={address(['customers'])}>← {texts.customers}</a></p>
      {!owner.data && <Title text={texts.customers} />}
      <Shown of={owner}>
        {(shown) => (
          <>
            <Head owner={shown} set={owner.set} />
            {may('updateOwner') && (
              <Edit thing={shown} set={owner.set} title={texts.properties} by={{
                labels: { name: texts.name, external_id: texts.externalId, plan_name: texts.plan, fallback_url: texts.fallback },
                valuesOf: ({ name, external_id, plan_name, fallback_url }) => ({ name, external_id: external_id ?? '', plan_name, fallback_url: fallback_url ?? '' }),
                convert: { name: String },
                read: () => api.owners.get(id),
                update: (patch, options) => api.owners.update(id, patch, options),
              }}>
                {(field) => (
                  <div class="grid">
                    {field('name')}
                    {field('external_id')}
                    {field('plan_name', { options: plans.length ? plans : [[shown.plan_name, shown.plan_name]] })}
                    {field('fallback_url', { type: 'url', hint: texts.fallbackHint })}
                  </div>
                )}
              </Edit>
            )}
            <Keys scopes={scopes} start="edit" version={undone} more={(key) => <a href={address(['takedown'], { key_id: String(key.id) })}>{texts.madeBy}</a>}
              list={(signal) => api.keys.list(id, {}, { signal })}
              create={may('createKey') ? ({ label, scope, expires_at }, options) =>
                counted(api.keys.create(id, { label: label || null, scope: scope as KeyCreate['scope'], expires_at: fromLocalInput(expires_at) }, options)) : undefined}
              revoke={may('revokeKey') ? (key) => counted(api.keys.revoke(key, audit)) : undefined} revokeFields={fields} />
            <Domains owner={shown} version={undone} onChanged={count} />
            <Usage id={id} />
            <Events title={texts.history} query={{ owner_id: id }} key={`${shown.etag} ${shown.is_suspended} ${changes}`}
              onChanged={() => { owner.reload(); setUndone((number) => number + 1); }} />
          </>
        )}
      </Shown>
    </>
  );
}

function Head({ owner, set }: { owner: Owner; set: Loaded<Owner>['set'] }) {
  const { api, may } = useSession();
  const say = useContext(Say);
  const [asked, setAsked] = useState<'suspend' | 'resume' | 'delete'>();
  const [typed, setTyped] = useState('');
  const close = () => setAsked(undefined);
  const change = owner.is_suspended ? 'resume' : 'suspend';
  return (
    <>
      <div class="head">
        <Title text={owner.name}><Text>{owner.name}</Text></Title>
        <OwnerState owner={owner} />
        <div class="buttons">
          <a class="button" href={address(['takedown'], { owner_id: String(owner.id) })}>{texts.linksOf(owner.links)}</a>
          {may('suspendOwner') && <button class={change === 'suspend' ? 'danger' : undefined} onClick={() => setAsked(change)}>{texts.suspension[change]}</button>}
          {may('deleteOwner') && owner.is_suspended && <button class="danger" onClick={() => setAsked('delete')}>{texts.delete}</button>}
        </div>
      </div>
      <p class="faint">{texts.customerSince(owner.id, date(owner.created_at))}</p>
      {owner.suspended_reason && <p class="notice bad">{texts.suspendedFor(texts.reasons[owner.suspended_reason], owner.suspended_at && date(owner.suspended_at))}</p>}
      {(asked === 'suspend' || asked === 'resume') && (
        <Ask title={texts.suspensionOf[asked](owner.name)} text={texts.suspensionText[asked]} label={texts.suspension[asked]} isDangerous={asked === 'suspend'} onClose={close}
          work={async (audit, options) => {
            await (asked === 'suspend' ? api.owners.suspend(owner.id, { audit }, options) : api.owners.resume(owner.id, { audit }, options));
            set(await api.owners.get(owner.id));
            say(texts.saved);
          }} />
      )}
      {asked === 'delete' && (
        <Ask title={texts.deleteOf(owner.name)} text={texts.deleteCustomerText(owner.links)} label={texts.delete} isDangerous isReady={typed === owner.name} onClose={close}
          work={async (audit) => {
            const running = await api.owners.delete(owner.id, audit);
            navigate(running ? address(['history', String(running.event_id)]) : address(['customers']), true);
            say(running ? texts.goesOn : texts.deleted(owner.name));
          }}>
          <Field name="confirm" label={texts.typeName(owner.name)} value={typed} onChange={setTyped} />
        </Ask>
      )}
    </>
  );
}

/** Number of months that are shown. */
const months = 6;

function Usage({ id }: { id: number }) {
  const { api } = useSession();
  const usage = useLoaded(
    (signal) => Promise.all(Array.from({ length: months }, async (_, ago) => {
      const { data: [row], is_final } = await api.usage.get({ month: utcMonth(-ago), owner_id: id }, { signal });
      return { month: utcMonth(-ago), row, is_final };
    })),
    [id],
  );
  return (
    <section class="card">
      <h2>{texts.usage}</h2>
      <Shown of={usage}>
        {(rows) => (
          <Table label={texts.usage} items={rows.flatMap(({ row, ...others }) => (row ? [{ ...others, ...row }] : []))} keyOf={(row) => row.month} columns={[
            [texts.monthUtc, (row) => <a href={address(['bills'], { month: row.month })}>{month(row.month)}</a>],
            [texts.requests, (row) => number(row.requests), 'number'],
            [texts.linksCreated, (row) => number(row.links_created), 'number'],
            [texts.links, (row) => number(row.links), 'number'],
            [texts.clicksTitle, (row) => number(row.clicks), 'number'],
          ]} />
        )}
      </Shown>
    </section>
  );
}
