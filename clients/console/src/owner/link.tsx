// A link: what it is, how often it was followed, its QR code and its history.

import { useContext, useState } from 'preact/hooks';
import { type Loaded, useAction, useList, useLoaded } from '../shared/action';
import { DayChart } from '../shared/chart';
import { Edit } from '../shared/forms';
import { bare, fromLocalInput, number, time, toLocalInput, toNumber, utcDay, withScheme } from '../shared/format';
import { Badge, Confirm, CopyButton, More, Problem, Say, Shown, stateName, Text, Time, Title } from '../shared/parts';
import { isProblem } from '../shared/problems';
import { address, navigate, usePlace } from '../shared/router';
import { ownerTexts as texts } from '../shared/texts';
import type { Event, Link } from './api';
import { type QrSettings, QrView } from './qr';
import { type Scope, useSession } from './session';

export function LinkPage({ id: code }: { id: string }) {
  const { api } = useSession();
  const mayChange = useMayChange();
  const link = useLoaded((signal) => api.links.get(code, { signal }), [code]);
  return (
    <>
      <p class="trail"><a href={address(['links'])}>← {texts.links}</a></p>
      {!link.data && <Title text={code} />}
      <Shown of={link}>
        {(shown) => (
          <>
            <Head link={shown} set={link.set} />
            <Clicks link={shown} />
            <div class="columns">
              {mayChange(shown) && <EditLink link={shown} set={link.set} />}
              <Qr link={shown} set={link.set} />
            </div>
            <History link={shown} />
          </>
        )}
      </Shown>
    </>
  );
}

type Setter = Loaded<Link>['set'];

/** Returns whether a link can be changed: those that the operator has disabled or blocked stay as they are. */
function useMayChange() {
  const { may } = useSession();
  return (link: Link, scope: Scope = 'edit') => may(scope) && link.state !== 'disabled' && link.state !== 'blocked';
}

function Head({ link, set }: { link: Link; set: Setter }) {
  const { api } = useSession();
  const mayChange = useMayChange();
  const say = useContext(Say);
  const [isAsking, setAsking] = useState(false);
  const action = useAction();
  const short = bare(link.short_url);
  const pause = () => action.run(async () => {
    // The history then says what was done, and not only that the link was changed.
    const bulk = api.linkChanges.create({ action: link.is_paused ? 'unpause' : 'pause', selectors: { code: [link.short_code] } });
    const { skipped } = await bulk.catch(async (error: unknown) => {
      // While many links change, the server accepts only changes of single links.
      if (!isProblem(error, 'change-running')) throw error;
      await api.links.update(link.short_code, { is_paused: !link.is_paused });
      return { skipped: 0 };
    });
    const changed = await api.links.get(link.short_code);
    set(changed);
    say(skipped ? texts.bulkDone(0, skipped) : changed.is_paused ? texts.pausedNow : texts.unpausedNow);
  });
  return (
    <>
      <div class="head">
        <Title text={short}><Text>{short}</Text></Title>
        <Badge kind={link.state}>{stateName(link.state)}</Badge>
        <div class="buttons">
          <CopyButton text={link.short_url} label={texts.copyLink(short)} kind="primary" />
          <a class="button" href={link.destination_url} target="_blank" rel="noreferrer noopener">{texts.openDestination}</a>
          {mayChange(link) && <button onClick={pause} aria-disabled={action.isBusy}>{link.is_paused ? texts.unpause : texts.pause}</button>}
          {mayChange(link, 'full') && <button class="danger" onClick={() => setAsking(true)}>{texts.delete}</button>}
        </div>
      </div>
      <Problem failure={action.failure} />
      {link.state_reason && <p class="notice bad">{texts.byOperator(stateName(link.state), link.state_reason)}</p>}
      {isAsking && (
        <Confirm title={texts.deleteTitle(short)} text={texts.deleteText(number(link.clicks))} label={texts.delete} isDangerous
          onClose={() => setAsking(false)}
          work={async () => {
            await api.links.delete(link.short_code);
            navigate(address(['links']), true);
            say(texts.deleted(short));
          }} />
      )}
    </>
  );
}

const labels = {
  destination_url: texts.destination, title: texts.title, campaign: texts.campaign,
  expires_at: texts.expires, fallback_url: texts.fallback, forward_query: texts.forwardQuery,
};

function EditLink({ link, set }: { link: Link; set: Setter }) {
  const { api } = useSession();
  return (
    <Edit thing={link} set={set} title={texts.properties} by={{
      labels,
      valuesOf: ({ destination_url, title, campaign, expires_at, fallback_url, forward_query }) => ({
        destination_url, title: title ?? '', campaign: campaign ?? '', expires_at: toLocalInput(expires_at), fallback_url: fallback_url ?? '', forward_query,
      }),
      convert: { destination_url: withScheme, expires_at: fromLocalInput },
      read: () => api.links.get(link.short_code),
      update: (patch, options) => api.links.update(link.short_code, patch, options),
    }}>
      {(field) => (
        <>
          {field('destination_url', { type: 'url' })}
          {field('title')}
          {field('campaign')}
          {field('expires_at', { type: 'datetime-local', hint: texts.localTime })}
          {field('fallback_url', { type: 'url', hint: texts.fallbackHint })}
          {field('forward_query', { hint: texts.forwardQueryHint })}
        </>
      )}
    </Edit>
  );
}

const qrLabels = {
  qr_foreground: texts.foreground, qr_background: texts.background, qr_error_correction: texts.correction, qr_margin: texts.margin, has_qr: texts.publicImage,
};
const eventNames: Record<string, string> = { ...labels, ...qrLabels, is_paused: texts.states.paused };
const corrections = ['L', 'M', 'Q', 'H'] as const;

function Qr({ link, set }: { link: Link; set: Setter }) {
  const { api } = useSession();
  if (!useMayChange()(link)) return <section class="card"><h2>{texts.qrCode}</h2><QrView link={link} /></section>;
  const image = `${location.origin}/${link.short_code.split('/').map(encodeURIComponent).join('/')}/qr.svg`;
  return (
    <Edit thing={link} set={set} title={texts.qrCode} saves={texts.saveQr} by={{
      labels: qrLabels,
      valuesOf: ({ qr_foreground, qr_background, qr_error_correction, qr_margin, has_qr }) => ({
        qr_foreground, qr_background, qr_error_correction: qr_error_correction as string, qr_margin: String(qr_margin), has_qr,
      }),
      convert: { qr_margin: toNumber },
      read: () => api.links.get(link.short_code),
      update: (patch, options) => api.links.update(link.short_code, patch, options),
    }}>
      {(field, { qr_margin, ...typed }) => (
        <>
          <QrView link={link} settings={{ ...typed, qr_margin: Math.min(16, Math.max(0, Math.trunc(Number(qr_margin)))) } as QrSettings} />
          <div class="grid small">
            {field('qr_foreground', { type: 'color' })}
            {field('qr_background', { type: 'color' })}
            {field('qr_error_correction', { options: corrections.map((one) => [one, texts.corrections[one]] as const) })}
            {field('qr_margin', { type: 'number', min: '0', max: '16' })}
          </div>
          {field('has_qr', { hint: link.has_qr ? image : texts.publicImageHint })}
        </>
      )}
    </Edit>
  );
}

const ranges = [30, 90, 400] as const;

function Clicks({ link }: { link: Link }) {
  const { api } = useSession();
  const { query } = usePlace();
  const days = ranges.find((range) => String(range) === query.get('days')) ?? 30;
  const clicks = useLoaded(
    (signal) => api.links.clicks(link.short_code, { from_day: utcDay(1 - days), to_day: utcDay(0) }, { signal }),
    [link.short_code, days],
  );
  return (
    <section class="card steady">
      <div class="bar">
        <h2>{texts.clicksByDay}</h2>
        <nav class="tabs" aria-label={texts.range}>
          {ranges.map((range) => (
            <a key={range} href={address(['links', link.short_code], { days: String(range) })} aria-current={range === days ? 'true' : undefined}>
              {texts.days(range)}
            </a>
          ))}
        </nav>
      </div>
      <Shown of={clicks}>
        {({ data, clicks_before }) => (
          <>
            <p class="figures">
              <span><strong>{number(data.reduce((sum, one) => sum + one.clicks, 0))}</strong> {texts.inRange(days)}</span>
              <span><strong>{number(data.reduce((sum, one) => sum + one.clicks, clicks_before))}</strong> {texts.inTotal}</span>
            </p>
            <DayChart days={data} />
          </>
        )}
      </Shown>
    </section>
  );
}

/** Returns a value of an event as people read it. */
function shownValue(name: string, value: unknown): string {
  if (value === null || value === undefined) return texts.nothing;
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  return name === 'expires_at' ? time(String(value)) : String(value);
}

/** What an event changed of a link, read while it is unfolded. */
function Changes(event: { id: number; code: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
      <summary>{texts.eventChanges}</summary>
      {isOpen && <Values {...event} />}
    </details>
  );
}

function Values({ id, code }: { id: number; code: string }) {
  const { api } = useSession();
  const values = useLoaded(async (signal) => {
    // An event may have changed very many links.
    for await (const { data } of api.events.changes(id, {}, { signal }).pages()) {
      const found = data.filter(({ subject }) => subject === code);
      if (found.length) return found.flatMap(({ before, after }) => Object.keys({ ...before, ...after }).map((name) => [name, before?.[name], after?.[name]] as const));
    }
    return [];
  }, [id, code]);
  return (
    <Shown of={values}>
      {(members) => (members.length === 0 ? <p class="faint">{texts.noValues}</p> : (
        <>
          {members.map(([name, before, after]) => (
            <p key={name}><Text>{texts.eventMember(eventNames[name] ?? name, shownValue(name, before), shownValue(name, after))}</Text></p>
          ))}
        </>
      ))}
    </Shown>
  );
}

function History({ link }: { link: Link }) {
  const { api } = useSession();
  const events = useList<Event>((signal) => api.links.events(link.short_code, { limit: 50 }, { signal }), [link]);
  return (
    <section class="card">
      <h2>{texts.history}</h2>
      <ol class="history">
        {events.items.map((event) => (
          <li key={event.id}>
            <Text>{texts.event(event.action, event.actor.type, event.actor.name, event.audit.reason)}</Text>
            {event.audit?.note && <> · <Text>{event.audit.note}</Text></>} <span class="faint"><Time at={event.created_at} /></span>
            {event.action === 'link edit' && <Changes id={event.id} code={link.short_code} />}
          </li>
        ))}
        {!events.hasMore && !events.isLoading && !events.failure && <li>{texts.createdEvent} <span class="faint"><Time at={link.created_at} /></span></li>}
      </ol>
      <More list={events} />
    </section>
  );
}
