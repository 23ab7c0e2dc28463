// Takedown: paste what was reported, see what else leads there and whose it is, and take it down under one case.

import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { InputError, newKey, useAction, useIdempotency, useLoaded } from '../shared/action';
import { bare, date, number } from '../shared/format';
import { Badge, Check, Confirm, Field, Fields, Form, Problem, Say, Shown, stateName, Submit, Table, Text, Title } from '../shared/parts';
import { address, navigate, usePlace } from '../shared/router';
import { operatorTexts as texts } from '../shared/texts';
import { useAudit } from './audit';
import { OwnerLink } from './customers';
import { Events } from './history';
import { useSession } from './session';
import { resolve, type Scope } from './targets';

/** Number of characters that an address may have for the search. */
const maxAddress = 1500;
/** Number of links and of customers that are shown. */
const shownRows = 100;
const shownOwners = 20;
/** Number of links above which the page asks before it takes them down. */
const manyLinks = 1000;
/** Texts that are too long for an address, by what the address has instead. */
const longTexts = new Map<string, string>();

export function Takedown() {
  const { api, may } = useSession();
  const { query } = usePlace();
  const owner = query.get('owner_id');
  const maker = query.get('key_id');
  const text = query.get('q') ?? longTexts.get(query.get('pasted') ?? '') ?? '';
  const [typed, setTyped] = useState(text);
  // What this field put into the address.
  const put = useRef(text);
  useEffect(() => {
    if (text !== put.current) setTyped(text);
    put.current = text;
  }, [text]);
  const wanted = `${text} ${owner} ${maker}`;
  const found = useLoaded(async (signal) => {
    const report = { text, ...(owner && { owner_id: Number(owner) }), ...(maker && { key_id: Number(maker) }), canCount: may('changeLinks') };
    return { ...(await resolve(api, report, signal)), key: wanted };
  }, [wanted]);
  const search = () => {
    const searched = typed.trim();
    put.current = searched;
    const pasted = searched.length > maxAddress ? newKey() : '';
    if (pasted) longTexts.set(pasted, searched);
    navigate(address(['takedown'], pasted ? { pasted } : { q: searched }));
    if (searched === text) found.reload();
  };
  return (
    <Fields failure={found.failure}>
      <Title text={texts.takedown} />
      <section class="card">
        <form onSubmit={(event) => { event.preventDefault(); search(); }}>
          <Field name="reported" members={['host', 'code', 'destination_url']} label={texts.reported} hint={texts.reportedHint} rows={3} value={typed} onChange={setTyped}
            onKeyDown={(event) => event.key === 'Enter' && !event.shiftKey && (event.preventDefault(), search())} />
          <div class="buttons"><button class="primary">{texts.find}</button></div>
        </form>
      </section>
      {(text || owner || maker) && (
        <Shown of={found}>
          {/* What an earlier search found must not be taken down by mistake. */}
          {({ scopes, inexact, unknown, key }) => (key !== wanted ? <p class="faint loading" role="status">{texts.loading}</p> : (
            <>
              {unknown.length > 0 && <p class="notice warn" role="alert">{texts.unknownCodes(unknown.length)}: <Text>{unknown.slice(0, 100).join(', ')}</Text></p>}
              {inexact.length > 0 && <p class="notice warn" role="alert">{texts.inexactPages(inexact.length)}: <Text>{inexact.slice(0, 100).join(', ')}</Text></p>}
              {scopes.length === 0 ? <p class="card empty">{texts.noMatch}</p> : <Found key={key} scopes={scopes} onDone={found.reload} />}
            </>
          ))}
        </Shown>
      )}
    </Fields>
  );
}

/** Returns a set with or without an item. */
const toggled = <T,>(set: ReadonlySet<T>, item: T): ReadonlySet<T> => new Set(set.has(item) ? [...set].filter((one) => one !== item) : [...set, item]);

function Found({ scopes, onDone }: { scopes: Scope[]; onDone: () => void }) {
  const { api, may } = useSession();
  const say = useContext(Say);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(scopes.filter((scope) => scope.isMeant).map((scope) => scope.id)));
  const [blocked, setBlocked] = useState<ReadonlySet<string>>(new Set(scopes.flatMap(({ isMeant, host }) => (isMeant && host ? [host] : []))));
  const [suspended, setSuspended] = useState<ReadonlySet<number>>(new Set());
  const [done, setDone] = useState<string[]>([]);
  const [isPart, setPart] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const { audit, fields } = useAudit({ reason: 'phishing', case_id: `takedown-${new Date().toISOString().slice(0, 16).replaceAll(/[-:]/g, '')}` });
  const action = useAction();
  const once = useIdempotency();
  const taken = scopes.filter((scope) => chosen.has(scope.id));
  const links = [...new Map(taken.flatMap((scope) => scope.links.map((link) => [link.short_code, link]))).values()];
  const owners = [...new Map(links.map(({ owner_id: id, owner_name: name }) => [id, name]))]
    .map(([id, name]) => ({ id, name, links: links.filter((link) => link.owner_id === id).length }))
    .sort((one, other) => other.links - one.links).slice(0, shownOwners);
  const hosts = [...blocked];
  const takeDown = async () => {
    let calls = 0;
    let goesOn = false;
    const call = async <T,>(body: object, send: (options: { idempotencyKey: string }) => Promise<T>) => {
      const result = await send({ idempotencyKey: once.keyOf(body) });
      calls++;
      return result;
    };
    try {
      if (hosts.length) {
        const body = { patterns: hosts, reason: audit.reason, audit };
        await call(body, (options) => api.blocks.create(body, options));
      }
      if (may('changeLinks')) {
        for (const { selectors } of taken) {
          const body = { action: 'disable' as const, selectors, audit };
          const { status } = await call(body, (options) => api.linkChanges.create(body, options));
          // The same request goes on from there.
          if (status === 'stopped') throw new InputError('', texts.stoppedInPart);
          goesOn ||= status === 'running';
        }
      }
      for (const id of suspended) await call({ id, audit }, (options) => api.owners.suspend(id, { audit }, options));
    } finally {
      // Also if a part failed, the operator sees what was done.
      if (calls) {
        setDone((old) => [...old, audit.case_id ?? '']);
        setPart(true);
      }
    }
    once.renew();
    setPart(false);
    say(goesOn ? texts.goesOn : texts.takenDown);
    onDone();
  };
  const sum = texts.takedownSum(may('changeLinks') ? links.length : 0, taken.some((scope) => !scope.isComplete), hosts.length, suspended.size);
  return (
    <>
      <section class="card" aria-label={texts.matches}>
        <h2>{texts.matches}</h2>
        {scopes.map((scope) => (
          <div key={scope.id}>
            <Check label={texts.scopeOf(scope.kind, scope.name)} isChecked={chosen.has(scope.id)} onChange={() => setChosen(toggled(chosen, scope.id))}
              hint={texts.counts(scope.links.length, !scope.isComplete, new Set(scope.links.map((link) => link.owner_id)).size, scope.changes)} />
          </div>
        ))}
      </section>
      {(may('createBlocks') || may('suspendOwner')) && (
        <Form class="card" action={action} onSubmit={links.length > manyLinks ? async () => setAsking(true) : takeDown} label={texts.takedown}>
          <h2>{texts.takedown}</h2>
          {may('createBlocks') && scopes.flatMap(({ host }) => (host ? [host] : [])).map((host) => (
            <Check key={host} label={texts.blockHost(host)} hint={texts.blockHostHint} isChecked={blocked.has(host)} onChange={() => setBlocked(toggled(blocked, host))} />
          ))}
          {may('suspendOwner') && owners.map(({ id, name, links }) => (
            <Check key={id} label={texts.suspensionOf.suspend(name)} hint={texts.ofThese(links)} isChecked={suspended.has(id)} onChange={() => setSuspended(toggled(suspended, id))} />
          ))}
          {fields}
          <Problem failure={action.failure} />
          {isPart && <p class="notice warn" role="alert">{texts.takenDownInPart}</p>}
          <div class="buttons">{sum && audit.case_id ? <Submit action={action} kind="danger">{sum}</Submit> : <p class="faint">{texts.chooseSome}</p>}</div>
        </Form>
      )}
      {isAsking && <Confirm title={sum} text={texts.takedownText} label={sum} isDangerous work={takeDown} onClose={() => setAsking(false)} />}
      {done.length > 0 && <Events key={done.length} title={texts.doneIn(done.at(-1) ?? '')} query={{ case_id: done.at(-1) ?? '' }} onChanged={onDone} />}
      {links.length > 0 && (
        <section class="card">
          <h2>{texts.links}</h2>
          <Table label={texts.links} items={links.slice(0, shownRows)} keyOf={(link) => link.short_code} columns={[
            [texts.shortLink, (link) => <a href={address(['history'], { short_code: link.short_code })}><Text>{bare(link.short_url)}</Text></a>],
            [texts.destination, (link) => <><Text>{link.destination_url}</Text>{link.title && <p class="faint"><Text>{link.title}</Text></p>}</>],
            [texts.customer, (link) => <OwnerLink id={link.owner_id} name={link.owner_name} />],
            [texts.clicksTitle, (link) => number(link.clicks), 'number'],
            [texts.state, (link) => <Badge kind={link.state}>{stateName(link.state)}</Badge>],
            [texts.createdAt, (link) => date(link.created_at)],
          ]} />
          {links.length > shownRows && <p class="faint">{texts.moreRows(links.length - shownRows)}</p>}
        </section>
      )}
    </>
  );
}
