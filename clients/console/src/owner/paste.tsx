// Paste many: a list or CSV of destinations, checked while one looks, then created in batches.

import { useMemo, useState } from 'preact/hooks';
import { newKey, useAction } from '../shared/action';
import { downloadCsv, fromCsv, toCsv } from '../shared/csv';
import { bare, number } from '../shared/format';
import { CopyButton, Problem, Text, Title } from '../shared/parts';
import { useUnsaved } from '../shared/router';
import { ownerTexts as texts } from '../shared/texts';
import type { Link, LinkCreate } from './api';
import { useSession } from './session';

const columns = ['destination_url', 'custom_code', 'title', 'campaign'] as const;
type Column = (typeof columns)[number];

/** Names that other programs give to the columns. */
const aliases: Record<string, Column> = {
  destination_url: 'destination_url', destination: 'destination_url', url: 'destination_url', long_url: 'destination_url', link: 'destination_url',
  custom_code: 'custom_code', short_code: 'custom_code', code: 'custom_code', slug: 'custom_code', keyword: 'custom_code',
  title: 'title', name: 'title', campaign: 'campaign',
};

/** Number of links in a batch, which is also the step of the progress. */
const batchSize = 200;
/** Number of rows that are shown. */
const shownRows = 200;

interface Row {
  line: number;
  body: LinkCreate;
  /** Why the row cannot be created, or was not. */
  problem?: string;
  link?: Link;
}

/** Rows that are created by one request. A repetition has the same key, so that it creates none twice. */
interface Batch {
  rows: Row[];
  key: string;
}

function parse(text: string, campaign: string): Row[] {
  const lines = fromCsv(text.replace(/^\ufeff/, ''));
  const header = lines[0]?.map((name) => aliases[name.toLowerCase().replaceAll(/[ -]/g, '_')]);
  const hasHeader = header?.includes('destination_url') ?? false;
  const order = hasHeader && header ? header : columns;
  const codes = new Set<string>();
  return lines.slice(hasHeader ? 1 : 0).map((cells, index) => {
    const body: LinkCreate = { destination_url: '', ...(campaign && { campaign }) };
    order.forEach((column, at) => column && cells[at] && (body[column] = cells[at]));
    const code = body.custom_code;
    const problem = problemOf(body, code !== undefined && code !== null && codes.has(code));
    if (code) codes.add(code);
    return { line: index + (hasHeader ? 2 : 1), body, ...(problem && { problem }) };
  });
}

function problemOf({ destination_url: url, custom_code: code }: LinkCreate, isRepeated: boolean): string | undefined {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return texts.noUrl;
  if (code && !/^[A-Za-z0-9_-]+$/.test(code)) return texts.badCode;
  return isRepeated ? texts.repeatedCode : undefined;
}

export function Paste() {
  const { api } = useSession();
  const [text, setText] = useState('');
  const [campaign, setCampaign] = useState('');
  const [batches, setBatches] = useState<Batch[]>();
  const action = useAction();
  const parsed = useMemo(() => parse(text, campaign.trim()), [text, campaign]);
  const rows = batches?.flatMap((batch) => batch.rows) ?? parsed;
  const ready = parsed.filter((row) => !row.problem);
  const made = rows.filter((row) => row.link);
  const failed = rows.filter((row) => row.problem);
  const isStarted = batches !== undefined;
  useUnsaved(isStarted ? made.length < rows.length : text !== '');

  const create = () => action.run(async () => {
    const all = batches ?? Array.from({ length: Math.ceil(ready.length / batchSize) }, (_, index) =>
      ({ rows: ready.slice(index * batchSize, (index + 1) * batchSize), key: newKey() }));
    setBatches(all);
    for (const batch of all) {
      if (batch.rows.every((row) => row.link)) continue;
      const { data } = await api.links.createBatch({ links: batch.rows.map((row) => row.body) }, { idempotencyKey: batch.key });
      batch.rows = batch.rows.map(({ problem: _, ...row }, index) => {
        const { link, problem } = data[index] ?? {};
        const reason = problem?.errors?.map((error) => error.detail).join(' ') || problem?.detail;
        return { ...row, ...(link && { link }), ...(!link && { problem: reason ?? texts.noAnswer }) };
      });
      setBatches([...all]);
    }
  });
  const csvOf = (some: Row[]) => [[...columns], ...some.map(({ body }) => columns.map((column) => body[column] ?? ''))];
  const editFailed = () => {
    setText(toCsv(csvOf(failed)).replaceAll('\r', ''));
    setBatches(undefined);
    action.clear();
  };
  const results = () => downloadCsv('created-links.csv', [
    ['short_url', ...columns, 'problem'],
    ...rows.map(({ link, body, problem }) => [link?.short_url ?? '', ...columns.map((column) => body[column] ?? ''), problem ?? '']),
  ]);
  return (
    <>
      <Title text={texts.pasteMany} />
      {!isStarted && (
        <section class="card">
          <div class="field">
            <label for="paste">{texts.pasteLabel}</label>
            <textarea id="paste" rows={8} spellcheck={false} aria-describedby="paste-hint" value={text}
              placeholder={texts.pasteExample} onInput={(event) => setText(event.currentTarget.value)} />
            <p class="hint" id="paste-hint">{texts.pasteHint}</p>
          </div>
          <div class="line">
            <div class="field">
              <label for="paste-file">{texts.orFile}</label>
              <input type="file" id="paste-file" accept=".csv,.tsv,.txt,text/csv,text/plain"
                onChange={async (event) => setText((await event.currentTarget.files?.[0]?.text()) ?? text)} />
            </div>
            <div class="field">
              <label for="paste-campaign">{texts.campaignOfAll}</label>
              <input id="paste-campaign" value={campaign} onInput={(event) => setCampaign(event.currentTarget.value)} />
            </div>
          </div>
        </section>
      )}
      {rows.length > 0 && (
        <section class="card">
          <div class="bar">
            <p role="status">
              {isStarted ? texts.progress(made.length, rows.length, failed.length) : texts.checked(ready.length, failed.length)}
            </p>
            <div class="buttons">
              {made.length < rows.length && (isStarted || ready.length > 0) && (
                <button class="primary" onClick={create} aria-disabled={action.isBusy}>
                  {isStarted ? texts.tryAgain(rows.length - made.length) : texts.createMany(ready.length)}
                </button>
              )}
              {isStarted && !action.isBusy && failed.length > 0 && <button onClick={editFailed}>{texts.editFailed}</button>}
              {made.length > 0 && <CopyButton text={made.map((row) => row.link?.short_url).join('\n')} label={texts.copyAll}>{texts.copyAll}</CopyButton>}
              {made.length > 0 && <button onClick={results}>{texts.downloadCsv}</button>}
              {isStarted && !action.isBusy && <button onClick={() => { setBatches(undefined); setText(''); action.clear(); }}>{texts.startOver}</button>}
            </div>
          </div>
          {isStarted && <progress max={rows.length} value={made.length + failed.length} aria-label={texts.pasteMany} />}
          <Problem failure={action.failure} />
          <div class="scroll" tabIndex={0} role="region" aria-label={texts.rows}>
            <table>
              <thead>
                <tr><th scope="col" class="number">#</th><th scope="col">{texts.destination}</th><th scope="col">{texts.shortLink}</th><th scope="col">{texts.title}</th><th scope="col">{texts.campaign}</th></tr>
              </thead>
              <tbody>
                {[...failed, ...rows.filter((row) => !row.problem)].slice(0, shownRows).map((row) => <Shown key={row.line} row={row} />)}
              </tbody>
            </table>
          </div>
          {rows.length > shownRows && <p class="faint">{texts.moreRows(rows.length - shownRows)}</p>}
        </section>
      )}
    </>
  );
}

function Shown({ row: { line, body, problem, link } }: { row: Row }) {
  return (
    <tr class={problem ? 'bad' : undefined}>
      <td class="number faint">{number(line)}</td>
      <td><Text>{bare(body.destination_url)}</Text>{problem && <p class="error">{problem}</p>}</td>
      <td>{link ? <a href={link.short_url} target="_blank" rel="noopener">{bare(link.short_url)}</a> : <Text>{body.custom_code ?? ''}</Text>}</td>
      <td><Text>{body.title ?? ''}</Text></td>
      <td><Text>{body.campaign ?? ''}</Text></td>
    </tr>
  );
}
