// Plans: what customers may do.

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useIdempotency, useLoaded } from '../shared/action';
import { Edit, useForm } from '../shared/forms';
import { number, toNumber } from '../shared/format';
import { Dialog, Form, Problem, Shown, Submit, Table, Text, Title } from '../shared/parts';
import { address } from '../shared/router';
import { operatorTexts as texts } from '../shared/texts';
import type { Plan, PlanCreate } from './api';
import { Ask } from './audit';
import { useSession } from './session';

const empty = { max_links: '', links_per_day: '', request_rate: '', burst: '', custom_codes: true };
const labels = { max_links: texts.maxLinks, links_per_day: texts.linksPerDay, request_rate: texts.rate, burst: texts.burst, custom_codes: texts.customCodes };
const convert = { max_links: toNumber, links_per_day: toNumber, burst: toNumber };

const limits = (field: (name: keyof typeof empty, more?: object) => ComponentChildren) => (
  <>
    {(['max_links', 'links_per_day'] as const).map((name) => field(name, { type: 'number', min: '0', placeholder: texts.unlimited }))}
    {field('request_rate', { hint: texts.rateHint, placeholder: texts.unlimited })}
    {field('burst', { type: 'number', min: '1' })}
    {field('custom_codes')}
  </>
);

export function Plans() {
  const { api, may } = useSession();
  const plans = useLoaded((signal) => api.plans.list({}, { signal }).all(), []);
  const [edited, setEdited] = useState<Plan>();
  const [removed, setRemoved] = useState<Plan>();
  const count = (value: number | null) => (value === null ? <span class="faint">{texts.unlimited}</span> : number(value));
  return (
    <>
      <Title text={texts.plans} />
      <section class="card">
        <Shown of={plans}>
          {(items) => (
            <Table label={texts.plans} items={items} keyOf={(plan) => plan.name} columns={[
              [texts.name, (plan) => <a href={address(['customers'], { plan: plan.name })}><Text>{plan.name}</Text></a>],
              [texts.maxLinks, (plan) => count(plan.max_links), 'number'],
              [texts.linksPerDay, (plan) => count(plan.links_per_day), 'number'],
              [texts.rate, (plan) => plan.request_rate ?? <span class="faint">{texts.unlimited}</span>],
              [texts.burst, (plan) => (plan.burst === null ? '' : number(plan.burst)), 'number'],
              [texts.customCodes, (plan) => (plan.custom_codes ? texts.yes : texts.no)],
              ['', (plan) => may('updatePlan') && (
                <>
                  <button class="quiet" aria-label={texts.editOf(plan.name)} onClick={() => setEdited(plan)}>{texts.edit}</button>
                  <button class="quiet" aria-label={texts.removeOf(plan.name)} onClick={() => setRemoved(plan)}>{texts.remove}</button>
                </>
              )],
            ]} />
          )}
        </Shown>
      </section>
      {may('createPlan') && <Create onCreated={plans.reload} />}
      {edited && (
        <Dialog title={texts.editOf(edited.name)} onClose={() => setEdited(undefined)}>
          <Edit thing={edited} title={texts.properties} set={() => { setEdited(undefined); plans.reload(); }} by={{
            labels,
            convert,
            valuesOf: ({ max_links, links_per_day, request_rate, burst, custom_codes }) => ({
              max_links: String(max_links ?? ''), links_per_day: String(links_per_day ?? ''), request_rate: request_rate ?? '', burst: String(burst ?? ''), custom_codes,
            }),
            read: () => api.plans.get(edited.name),
            update: (patch, options) => api.plans.update(edited.name, patch, options),
          }}>
            {limits}
          </Edit>
        </Dialog>
      )}
      {removed && (
        <Ask title={texts.removeOf(removed.name)} text={texts.removePlanText} label={texts.remove} isDangerous onClose={() => setRemoved(undefined)}
          done={texts.removed(removed.name)} work={async (audit) => {
            await api.plans.delete(removed.name, audit);
            plans.set((plans.data ?? []).filter((one) => one !== removed));
          }} />
      )}
    </>
  );
}

function Create({ onCreated }: { onCreated: () => void }) {
  const { api } = useSession();
  const { typed, replace, action, field } = useForm({ name: '', ...empty }, { name: texts.name, ...labels });
  const once = useIdempotency();
  const create = async () => {
    const { name, max_links, links_per_day, request_rate, burst, custom_codes } = typed;
    const body: PlanCreate = {
      name, custom_codes, max_links: toNumber(max_links), links_per_day: toNumber(links_per_day), request_rate: request_rate || null, burst: toNumber(burst),
    };
    await api.plans.create(body, { idempotencyKey: once.keyOf(body) });
    once.renew();
    replace(typed);
    onCreated();
  };
  return (
    <section class="card">
      <h2>{texts.newPlan}</h2>
      <Form action={action} onSubmit={create} label={texts.newPlan}>
        <div class="grid">{field('name')}{limits(field)}</div>
        <Problem failure={action.failure} />
        <div class="buttons"><Submit action={action}>{texts.createPlan}</Submit></div>
      </Form>
    </section>
  );
}
