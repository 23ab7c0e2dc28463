// History: what was changed, by whom and why, and its undo.

import { useContext, useEffect, useState } from 'preact/hooks';
import { InputError, useList, useLoaded } from '../shared/action';
import { useFilters } from '../shared/forms';
import { number } from '../shared/format';
import { Badge, More, Say, Shown, Table, Text, Time, Title } from '../shared/parts';
import { address } from '../shared/router';
import { operatorTexts as texts } from '../shared/texts';
import type { Event, EventChange, ListEventsQuery } from './api';
import { Ask } from './audit';
import { OwnerLink } from './customers';
import { useSession } from './session';

const filters = {
  case_id: texts.caseId, owner_id: texts.customerNumber, short_code: texts.shortCode,
  action: texts.action, actor_type: texts.actorType, since: texts.since,
};
const actions: readonly NonNullable<ListEventsQuery['action']>[] = [
  'link disable', 'link enable', 'link pause', 'link unpause', 'link edit', 'link delete', 'owner add', 'owner plan', 'owner edit',
  'owner suspend', 'owner resume', 'owner rename', 'owner delete', 'key add', 'key expire', 'key edit', 'key revoke', 'operator add',
  'operator revoke', 'plan add', 'plan set', 'plan remove', 'block add', 'block allow', 'block remove', 'block import',
  'block remove --source', 'domain add', 'domain remove', 'domain default', 'domain edit', 'webhook add', 'webhook edit',
  'webhook rotate', 'webhook disable', 'webhook enable', 'webhook remove', 'usage reopen', 'undo', 'stop',
];
const any = ['', texts.any] as const;

export function History() {
  const { wanted: { owner_id, since, ...others }, field } = useFilters('history', filters);
  const query = {
    ...others, ...(owner_id && { owner_id: Number(owner_id) }), ...(since && { created_after: `${since}T00:00:00Z` }),
  } as ListEventsQuery;
  return (
    <>
      <Title text={texts.history} />
      <form class="card" role="search" onSubmit={(event) => event.preventDefault()}>
        <div class="grid">
          {field('case_id')}
          {field('owner_id', { type: 'number', min: '1' })}
          {field('short_code')}
          {field('action', { options: [any, ...actions.map((one) => [one, one] as const)] })}
          {field('actor_type', { options: [any, ...Object.entries(texts.actorTypes)] })}
          {field('since', { type: 'date', hint: texts.utc })}
        </div>
      </form>
      <Events query={query} />
    </>
  );
}

export function EventPage({ id: segment }: { id: string }) {
  const { api } = useSession();
  const id = Number(segment);
  const event = useLoaded((signal) => api.events.get(id, { signal }), [id]);
  useFollowed(event.data ? [event.data] : [], event.reload);
  return (
    <>
      <p class="trail"><a href={address(['history'])}>← {texts.history}</a></p>
      <Title text={texts.eventOf(id)} />
      <Shown of={event}>{(shown) => <ul class="card history"><Item event={shown} isWhole onChanged={event.reload} /></ul>}</Shown>
      <Changes id={id} />
    </>
  );
}

/** The values before and after an event. */
function Changes({ id }: { id: number }) {
  const { api } = useSession();
  const list = useList<EventChange>((signal) => api.events.changes(id, { limit: 50 }, { signal }), [id]);
  return (
    <section class="card">
      <h2>{texts.values}</h2>
      {list.items.length === 0 && !list.isLoading && !list.failure && <p class="faint">{texts.noValues}</p>}
      {list.items.length > 0 && (
        <Table label={texts.values} items={list.items} keyOf={(one) => list.items.indexOf(one)} columns={[
          [texts.changed, (one) => <Text>{one.subject}</Text>],
          [texts.before, (one) => <Values of={one.before} />],
          [texts.after, (one) => <Values of={one.after} />],
        ]} />
      )}
      <More list={list} />
    </section>
  );
}

/** Values by their names in the interface. */
const Values = ({ of }: { of: object | null }) =>
  <>{Object.entries(of ?? {}).map(([name, value]) => <p key={name}><code>{name}</code> <Text>{typeof value === 'string' ? value : JSON.stringify(value)}</Text></p>)}</>;

/** Reads events that are not done again and again, until they are. */
function useFollowed(events: Event[], onChange: (event: Event) => void) {
  const { api } = useSession();
  const running = events.filter(({ status }) => status === 'running');
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (running.length === 0) return;
    const timer = setTimeout(async () => {
      // If the server does not respond, it is asked again.
      await Promise.all(running.map(async ({ id }) => onChange(await api.events.get(id)))).catch(() => undefined);
      setAttempt((number) => number + 1);
    }, 1000);
    return () => clearTimeout(timer);
  }, [running.length, attempt]);
}

/** Events, each with its undo. */
export function Events({ query, title, onChanged }: { query: ListEventsQuery; title?: string; onChanged?: () => void }) {
  const { api } = useSession();
  const events = useList<Event>((signal) => api.events.list({ limit: 50, ...query }, { signal }), [JSON.stringify(query)]);
  // The subject of an undo is the event.
  const undone = new Set(events.items.flatMap((one) => (one.action === 'undo' && one.status === 'done' && one.skipped_count === 0 ? [Number(one.subject)] : [])));
  useFollowed(events.items, (event) => events.change((items) => items.map((one) => (one.id === event.id ? event : one))));
  return (
    <section class="card">
      {title && <h2>{title}</h2>}
      {events.items.length === 0 && !events.isLoading && !events.failure && <p class="faint">{texts.noEvents}</p>}
      <ul class="history" aria-label={texts.history}>
        {events.items.map((event) => <Item key={event.id} event={event} isUndone={undone.has(event.id)} onChanged={() => { events.reload(); onChanged?.(); }} />)}
      </ul>
      <More list={events} />
    </section>
  );
}

const undoable = /^(link (disable|enable|pause|unpause|edit)|owner (suspend|resume)|block (add|allow|remove)|domain (add|remove|default|edit))$/;

function Item({ event, onChanged, isWhole = false, isUndone = false }: { event: Event; onChanged: () => void; isWhole?: boolean; isUndone?: boolean }) {
  const { api, holder, may } = useSession();
  const say = useContext(Say);
  const [asked, setAsked] = useState<'undo' | 'stop'>();
  const { id, action, subject, audit, status, actor } = event;
  const mayChange = (kind: string) => holder.role === 'admin' || !action.startsWith(kind);
  const { reason, case_id } = audit;
  return (
    <li>
      <div class="bar">
        <p>
          <a href={address(['history', String(id)])}>{texts.eventOf(id)}</a>{' '}
          <strong>{action}</strong> {subject !== event.owner_name && <Text>{subject}</Text>}{' '}
          {event.owner_name !== null && <OwnerLink id={event.owner_id} name={event.owner_name} />}{' '}
          {status !== 'done' && <Badge kind={status === 'running' ? 'paused' : 'disabled'}>{texts.statuses[status]}</Badge>}
        </p>
        <div class="buttons">
          {status === 'running' && may('stopEvent') && mayChange('owner delete') && <button class="quiet" aria-label={texts.stopOf(id)} onClick={() => setAsked('stop')}>{texts.stop}</button>}
          {status !== 'running' && !isUndone && undoable.test(action) && may('undoEvent') && mayChange('domain ') && (
            <button class="quiet" aria-label={texts.undoOf(id)} onClick={() => setAsked('undo')}>{texts.undo}</button>
          )}
        </div>
      </div>
      <p class="faint">
        {texts.changedThings(event.changed)} · {texts.actors[actor.type]} <Text>{actor.name ?? ''}</Text> · <Time at={event.created_at} /> · {texts.reasons[reason]}
        {case_id && <> · <a href={address(['history'], { case_id })}><Text>{case_id}</Text></a></>}
        {audit.note && <> · <Text>{audit.note}</Text></>}
      </p>
      {event.skipped_count > 0 && (
        <p class="faint">{texts.skipped(event.skipped_count)}: <Text>{event.skipped.slice(0, isWhole ? 100 : 5).join(', ')}</Text></p>
      )}
      {asked && (
        <Ask title={texts[`${asked}Of`](id)} text={texts[`${asked}Text`]} label={texts[asked]} onClose={() => setAsked(undefined)}
          start={{ reason, ...(case_id && { case_id }) }}
          work={async (why, options) => {
            if (asked === 'stop') await api.events.stop(id, { audit: why }, options);
            else {
              const undone = await api.events.undo(id, { audit: why }, options);
              if (undone.status === 'stopped') throw new InputError('', texts.stoppedInPart);
              say(undone.status === 'running' ? texts.goesOn : texts.undone(number(undone.changed), undone.skipped_count));
            }
            onChanged();
          }} />
      )}
    </li>
  );
}
