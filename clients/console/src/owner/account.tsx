// Account: the plan and what of it is used, keys, and domains.

import { useLoaded } from '../shared/action';
import { fromLocalInput, number } from '../shared/format';
import { Keys, KeyTable } from '../shared/keys';
import { Badge, Shown, Table, Text, Title } from '../shared/parts';
import { ownerTexts as texts, scopes } from '../shared/texts';
import type { CreateOptions, KeyCreate, Owner } from './api';
import { useSession } from './session';

export function Account() {
  const { api, may } = useSession();
  const owner = useLoaded((signal) => api.owner.get({ signal }), []);
  const create = ({ label, scope, expires_at }: Record<'label' | 'scope' | 'expires_at', string>, options: CreateOptions) =>
    api.keys.create({ label: label || null, scope: scope as KeyCreate['scope'], expires_at: fromLocalInput(expires_at) }, options);
  return (
    <>
      <Title text={texts.account} />
      <Shown of={owner}>
        {(shown) => (
          <>
            <Plan owner={shown} />
            {may('full') ? <Keys own={shown.key.id} scopes={scopes} start="edit" list={(signal) => api.keys.list({}, { signal })} create={create} revoke={(id) => api.keys.revoke(id)} />
              : <section class="card"><h2>{texts.thisKey}</h2><KeyTable keys={[shown.key]} own={shown.key.id} /></section>}
            {shown.domains && <Domains domains={shown.domains} />}
          </>
        )}
      </Shown>
    </>
  );
}

function Plan({ owner: { name, plan, usage } }: { owner: Owner }) {
  const meter = (label: string, value: number, max?: number | null) => (
    <div class="meter">
      <dt>{label}</dt>
      <dd>
        <strong>{number(value)}</strong> {max !== undefined && <span class="faint">{max === null ? texts.unlimited : texts.of(number(max))}</span>}
        {typeof max === 'number' && <meter min={0} max={max} high={max * 0.8} optimum={0} value={value} aria-label={label} />}
      </dd>
    </div>
  );
  return (
    <section class="card">
      <h2><Text>{name}</Text> <span class="faint">· {texts.plan(plan.name)}</span></h2>
      {usage && (
        <dl class="meters">
          {meter(texts.links, usage.links, plan.max_links)}
          {meter(texts.linksToday, usage.links_today, plan.links_per_day)}
          {meter(texts.clicksThisMonth, usage.clicks)}
          {meter(texts.requestsThisMonth, usage.requests)}
        </dl>
      )}
      <p class="hint">{texts.requestRate(plan.request_rate)} {plan.custom_codes ? texts.customCodesAllowed : texts.customCodesNotAllowed} {texts.utcMonths}</p>
    </section>
  );
}

function Domains({ domains }: { domains: NonNullable<Owner['domains']> }) {
  return (
    <section class="card">
      <h2>{texts.domains}</h2>
      {domains.length === 0 ? <p class="faint">{texts.noDomains}</p> : (
        <Table label={texts.domains} items={domains} keyOf={(one) => one.host} columns={[
          [texts.domain, (one) => <><Text>{one.host}</Text> {one.is_default && <Badge kind="active">{texts.defaultDomain}</Badge>}</>],
          [texts.startPage, (one) => (one.home_url ? <Text>{one.home_url}</Text> : <span class="faint">{texts.ownPage}</span>)],
        ]} />
      )}
    </section>
  );
}
