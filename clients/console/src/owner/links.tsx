// Links: create one, find them, change many.

import { useContext, useEffect, useState } from 'preact/hooks';
import { InputError, type Listed, useAction, useIdempotency, useList } from '../shared/action';
import { copy } from '../shared/clipboard';
import { downloadCsv } from '../shared/csv';
import { useFilters, useForm } from '../shared/forms';
import { bare, date, fromLocalInput, number, withScheme } from '../shared/format';
import { Badge, Check, Confirm, CopyButton, Dialog, Field, Fields, Fold, Form, More, Problem, Say, stateName, Submit, Text, Title } from '../shared/parts';
import { address } from '../shared/router';
import { ownerTexts as texts } from '../shared/texts';
import type { Link, LinkChange, LinkCreate } from './api';
import { QrView } from './qr';
import { useSession } from './session';

const empty = { destination_url: '', custom_code: '', title: '', campaign: '', expires_at: '' };
const labels = { destination_url: texts.destination, custom_code: texts.customCode, title: texts.title, campaign: texts.campaign, expires_at: texts.expires };

/** States that a filter can ask for. */
const states = ['active', 'paused', 'expired', 'disabled', 'blocked', 'owner-suspended'] as const;

export function Links() {
  const { may } = useSession();
  const [created, setCreated] = useState<Link>();
  return (
    <>
      <Title text={texts.links} />
      {may('create') && <Create onCreated={setCreated} />}
      {may('read') && <LinkList created={created} />}
    </>
  );
}

function Create({ onCreated }: { onCreated: (link: Link) => void }) {
  const { api, owner, may } = useSession();
  const say = useContext(Say);
  const { typed, replace, action, field } = useForm(empty, labels);
  const [made, setMade] = useState<{ link: Link; isCopied: boolean }>();
  const once = useIdempotency();
  const submit = async () => {
    const sent = { ...typed, destination_url: withScheme(typed.destination_url) };
    replace(typed, sent);
    const body: LinkCreate = {
      destination_url: sent.destination_url,
      custom_code: typed.custom_code.trim() || null,
      title: typed.title || null,
      campaign: typed.campaign || null,
      expires_at: fromLocalInput(typed.expires_at),
    };
    const creation = api.links.create(body, { idempotencyKey: once.keyOf(body) });
    // Begins before the response, because a browser allows it only shortly after a key was pressed.
    const copied = copy(creation.then((link) => link.short_url)).then(() => true, () => false);
    const link = await creation;
    once.renew();
    replace(sent);
    onCreated(link);
    setMade({ link, isCopied: false });
    void copied.then((isCopied) => {
      setMade({ link, isCopied });
      say(isCopied ? texts.createdAndCopied(link.short_url) : texts.created(link.short_url));
    });
  };
  return (
    <section class="card create">
      <Form action={action} onSubmit={submit} label={texts.createLink}>
        <div class="line">
          {field('destination_url', { placeholder: texts.pasteDestination, type: 'url', autoFocus: true })}
          <Submit action={action}>{texts.shorten}</Submit>
        </div>
        <Fold label={texts.more}>
          {owner.plan.custom_codes && field('custom_code', { hint: texts.customCodeHint })}
          {field('title')}
          {field('campaign')}
          {field('expires_at', { type: 'datetime-local', hint: texts.localTime })}
        </Fold>
        <Problem failure={action.failure} />
      </Form>
      {made && (
        <div class="made">
          {may('read') ? <a href={address(['links', made.link.short_code])} class="short">{bare(made.link.short_url)}</a>
            : <span class="short">{bare(made.link.short_url)}</span>}
          {made.isCopied && <span class="badge active">{texts.copiedShort}</span>}
          <CopyButton text={made.link.short_url} label={texts.copyLink(bare(made.link.short_url))} />
          <span class="faint cut">→ <Text>{bare(made.link.destination_url)}</Text></span>
        </div>
      )}
    </section>
  );
}

const filters = { q: texts.search, state: texts.state, campaign: texts.campaign, host: texts.leadsTo, from: texts.createdFrom, until: texts.createdUntil };
type Filters = Partial<Record<keyof typeof filters, string>>;

/** Returns the conditions of the interface for what the address says. */
function conditions({ q, state, campaign, host, from, until }: Filters): Record<string, string> {
  const nextDay = (day: string) => {
    const next = Date.parse(`${day}T00:00:00Z`) + 86_400_000;
    return Number.isNaN(next) ? day : new Date(next).toISOString();
  };
  return {
    ...(q && { q }),
    ...(state && { state }),
    ...(campaign && { campaign }),
    ...(host && { host }),
    ...(from && { created_after: `${from}T00:00:00Z` }),
    ...(until && { created_before: nextDay(until) }),
  };
}

function LinkList({ created }: { created: Link | undefined }) {
  const { api, may } = useSession();
  const { wanted, setTyped, field } = useFilters('links', filters);
  const search = conditions(wanted);
  const list = useList<Link>((signal) => api.links.list({ ...search, limit: 25 }, { signal }), [JSON.stringify(search)]);
  const [shownQr, setShownQr] = useState<Link>();
  const [exported, setExported] = useState<number>();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const exporting = useAction();
  const isFiltered = Object.keys(wanted).length > 0;
  const active = Object.keys(wanted).filter((name) => name !== 'q').length;
  const [isOpen, setOpen] = useState(active > 0);
  useEffect(() => {
    if (created && !isFiltered) list.change((items) => [created, ...items.filter((one) => one.short_code !== created.short_code)]);
  }, [created]);
  const exportAll = () => exporting.run(async () => {
    const columns = ['short_url', 'short_code', 'destination_url', 'title', 'campaign', 'clicks', 'state', 'created_at', 'expires_at'] as const;
    const rows: (string | number | null)[][] = [[...columns]];
    for await (const link of api.links.list({ ...search, limit: 1000 }, {})) {
      rows.push(columns.map((column) => link[column]));
      if (rows.length % 1000 === 0) setExported(rows.length);
    }
    downloadCsv('links.csv', rows);
    setExported(undefined);
  });
  return (
    <Fields failure={list.failure}>
      <section aria-label={texts.yourLinks}>
        <form class="filters" role="search" noValidate autoComplete="off" onSubmit={(event) => event.preventDefault()}>
          <div class="line">
            {field('q', { type: 'search', placeholder: texts.search, isLabelHidden: true })}
            <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {active ? texts.filtersActive(active) : texts.filters}
            </button>
          </div>
          {isOpen && (
            <div class="grid">
              {field('state', { options: [['', texts.any], ...states.map((one) => [one, stateName(one)] as const)] })}
              {field('campaign')}
              {field('host', { placeholder: 'example.org' })}
              {field('from', { type: 'date', hint: texts.utc, members: ['created_after'] })}
              {field('until', { type: 'date', hint: texts.utc, members: ['created_before'] })}
              {active > 0 && <button type="button" onClick={() => setTyped(({ q }) => (q ? { q } : {}))}>{texts.clearFilters}</button>}
            </div>
          )}
        </form>
        <div class="bar">
          {list.items.length > 0 && may('edit') && <Bulk list={list} {...{ chosen, setChosen }} />}
          <p role="status" class="faint">
            {list.isLoading ? texts.searching : (list.items.length > 0 || !list.failure) && texts.shown(list.items.length, list.hasMore)}
          </p>
          <button class="quiet" onClick={exportAll} aria-disabled={exporting.isBusy}>
            {exporting.isBusy ? texts.exporting(exported ?? 0) : texts.exportCsv}
          </button>
        </div>
        <Problem failure={exporting.failure} />
        {list.items.length > 0 ? (
          <ul class="links" aria-label={texts.yourLinks}>
            {list.items.map((link) => (
              <Row key={link.short_code} link={link} onQr={() => setShownQr(link)} isChosen={chosen.has(link.short_code)}
                onChoose={may('edit') ? (isChosen) => setChosen((old) => new Set(isChosen ? [...old, link.short_code] : [...old].filter((code) => code !== link.short_code))) : undefined} />
            ))}
          </ul>
        ) : (
          !list.isLoading && !list.failure && <p class="card empty">{isFiltered ? texts.noMatch : texts.noLinks(may('create'))}</p>
        )}
        <More list={list} />
        {shownQr && (
          <Dialog title={texts.qrOf(bare(shownQr.short_url))} onClose={() => setShownQr(undefined)}>
            <QrView link={shownQr} />
          </Dialog>
        )}
      </section>
    </Fields>
  );
}

type Change = 'pause' | 'unpause' | 'campaign' | 'delete';

/** Changes many links at once, after it has said how many. */
function Bulk({ list, chosen, setChosen }: {
  list: Listed<Link>; chosen: ReadonlySet<string>; setChosen: (chosen: ReadonlySet<string>) => void;
}) {
  const { api, may } = useSession();
  const say = useContext(Say);
  const [asked, setAsked] = useState<Change>();
  const [campaign, setCampaign] = useState('');
  const links = list.items.filter((link) => chosen.has(link.short_code));
  const isAll = links.length === list.items.length;
  const once = useIdempotency();
  const work = async (change: Change) => {
    const body: LinkChange = {
      action: change === 'campaign' ? 'update' : change,
      selectors: { code: links.map((link) => link.short_code) },
      ...(change === 'campaign' && { update: { campaign: campaign || null } }),
    };
    const send = () => api.linkChanges.create(body, { idempotencyKey: once.keyOf(body) });
    let result = await send();
    // The same request says how far a change has come that takes longer.
    while (result.status === 'running') {
      await new Promise((passed) => setTimeout(passed, 1000));
      result = await send();
    }
    // The choice stays, so that the same request does the rest.
    if (result.status === 'stopped') throw new InputError('', texts.stoppedInPart);
    once.renew();
    setChosen(new Set());
    list.reload();
    say(texts.bulkDone(result.changed, result.skipped));
  };
  return (
    <div class="line bulk">
      <Check label={links.length ? texts.chosen(links.length) : texts.chooseAll} isChecked={isAll}
        onChange={() => setChosen(new Set(isAll ? [] : list.items.map((link) => link.short_code)))} />
      {links.length > 0 && (
        <div class="buttons">
          {(['pause', 'unpause', 'campaign', ...(may('full') ? ['delete' as const] : [])] as const).map((change) =>
            <button key={change} class={change === 'delete' ? 'danger' : undefined} onClick={() => setAsked(change)}>{texts.bulk[change]}</button>)}
        </div>
      )}
      {asked && (
        <Confirm title={texts.bulkTitle(texts.bulk[asked], links.length)} text={texts.bulkText[asked]}
          label={texts.bulkTitle(texts.bulk[asked], links.length)} isDangerous={asked === 'delete'} onClose={() => setAsked(undefined)} work={() => work(asked)}>
          {asked === 'campaign' && <Field name="campaign" label={texts.campaign} value={campaign} onChange={setCampaign} hint={texts.campaignHint} />}
        </Confirm>
      )}
    </div>
  );
}

function Row({ link, onQr, isChosen, onChoose }: {
  link: Link; onQr: () => void; isChosen: boolean; onChoose: ((isChosen: boolean) => void) | undefined;
}) {
  const short = bare(link.short_url);
  return (
    <li>
      {onChoose && <input type="checkbox" aria-label={texts.choose(short)} checked={isChosen} onChange={(event) => onChoose(event.currentTarget.checked)} />}
      <div class="what">
        <p>
          <a href={address(['links', link.short_code])} class="short"><Text>{short}</Text></a>
          {link.state !== 'active' && <Badge kind={link.state}>{stateName(link.state)}</Badge>}
          {link.campaign && <a class="chip" href={address(['links'], { campaign: link.campaign })}><Text>{link.campaign}</Text></a>}
        </p>
        {link.title && <p class="cut"><Text>{link.title}</Text></p>}
        <p class="faint cut" title={link.destination_url}><Text>{bare(link.destination_url)}</Text></p>
      </div>
      <p class="when faint"><time dateTime={link.created_at}>{date(link.created_at)}</time></p>
      <p class="clicks"><strong>{number(link.clicks)}</strong> <span class="faint">{texts.clicks(link.clicks)}</span></p>
      <div class="does">
        <CopyButton text={link.short_url} label={texts.copyLink(short)} />
        <button type="button" class="quiet" aria-label={texts.qrOf(short)} onClick={onQr}>{texts.qr}</button>
      </div>
    </li>
  );
}
