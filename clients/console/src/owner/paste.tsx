// Paste many: a list or CSV of destinations, checked while one looks, then created in batches.

import { useMemo, useState } from 'preact/hooks';
import { newKey, useAction } from '../shared/action';
import { type CsvRow, downloadCsv, fromCsv, toCsv } from '../shared/csv';
import { bare, number } from '../shared/format';
import { Check, CopyButton, Problem, Text, Title } from '../shared/parts';
import { isProblem } from '../shared/problems';
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
  /** Whether the server may have created links without having said so. */
  isUnknown?: boolean;
}

const isUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);
const isCode = (text: string): boolean => /^[A-Za-z0-9_-]+$/.test(text);

/** Returns the rows of a text, and whether commas are taken for parts of URLs; `undefined` if that is no question. */
function parse(text: string, campaign: string, hasCommas: boolean | undefined): { rows: Row[]; isBare: boolean | undefined } {
  const lines = fromCsv(text.replace(/^\ufeff/, ''));
  const header = lines[0]?.cells.map((name) => aliases[name.toLowerCase().replaceAll(/[ -]/g, '_')]);
  const hasHeader = header?.includes('destination_url') ?? false;
  const order = hasHeader && header ? header : columns;
  const guess = hasHeader ? undefined : guessBare(text, lines);
  const isBare = guess === undefined ? undefined : hasCommas ?? guess;
  const rows = isBare ? text.split('\n').map((one, index) => ({ line: index + 1, cells: [one.trim()] })).filter(({ cells }) => cells[0]) : lines;
  const codes = new Set<string>();
  return { isBare, rows: rows.slice(hasHeader ? 1 : 0).map(({ line, cells }) => {
    const body: LinkCreate = { destination_url: '', ...(campaign && { campaign }) };
    order.forEach((column, at) => column && cells[at] && (body[column] = cells[at]));
    const code = body.custom_code;
    const problem = problemOf(body, code !== undefined && code !== null && codes.has(code));
    if (code) codes.add(code);
    return { line, body, ...(problem && { problem }) };
  }) };
}

/** Returns whether a list without names of columns is one of URLs with commas; `undefined` if nothing in it can be such a URL. */
function guessBare(text: string, lines: CsvRow[]): boolean | undefined {
  const several = lines.filter(({ cells }) => cells.length > 1);
  if (several.length === 0 || /[\s"]/.test(text.trim().replaceAll(/\s*\n/g, '')) || !lines.every(({ cells }) => isUrl(cells[0] ?? ''))) return undefined;
  // A code is more likely than a part of a URL.
  return several.some(({ cells: [, code = ''] }) => code !== '' && !isCode(code));
}

function problemOf({ destination_url: url, custom_code: code }: LinkCreate, isRepeated: boolean): string | undefined {
  if (!isUrl(url)) return texts.noUrl;
  if (code && !isCode(code)) return texts.badCode;
  return isRepeated ? texts.repeatedCode : undefined;
}

export function Paste() {
  const { api } = useSession();
  const [text, setText] = useState('');
  const [campaign, setCampaign] = useState('');
  const [batches, setBatches] = useState<Batch[]>();
  const [hasCommas, setCommas] = useState<boolean>();
  const action = useAction();
  const { rows: parsed, isBare } = useMemo(() => parse(text, campaign.trim(), hasCommas), [text, campaign, hasCommas]);
  const ready = parsed.filter((row) => !row.problem);
  // What is not valid is not sent, and stays where one can correct it.
  const wrong = parsed.filter((row) => row.problem);
  const sent = batches?.flatMap((batch) => batch.rows) ?? [];
  const isStarted = batches !== undefined;
  const rows = isStarted ? [...wrong, ...sent].sort((one, other) => one.line - other.line) : parsed;
  const made = sent.filter((row) => row.link);
  const failed = sent.filter((row) => row.problem);
  const others = rows.filter((row) => !row.link);
  // Under another key, rows that exist already would be created again.
  const unknown = batches?.filter((batch) => batch.isUnknown).flatMap((batch) => batch.rows) ?? [];
  const isUnknown = unknown.length > 0 && !action.isBusy;
  const untried = sent.filter((row) => !row.link && !row.problem && !unknown.includes(row)).length;
  useUnsaved(isStarted ? made.length < rows.length : text !== '');

  const create = () => action.run(async () => {
    const all: Batch[] = batches ?? Array.from({ length: Math.ceil(ready.length / batchSize) }, (_, index) =>
      ({ rows: ready.slice(index * batchSize, (index + 1) * batchSize), key: newKey() }));
    setBatches(all);
    for (const batch of all) {
      if (batch.rows.every((row) => row.link)) continue;
      const { data } = await api.links.createBatch({ links: batch.rows.map((row) => row.body) }, { idempotencyKey: batch.key }).catch((error: unknown) => {
        // Only a repetition under the same key settles what is unknown: a later rejection is not about the first attempt.
        batch.isUnknown ||= !isProblem(error) || error.status >= 500;
        throw error;
      });
      batch.isUnknown = batch.rows.some((_, index) => (data[index]?.status ?? 500) >= 500);
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
    setText(toCsv(csvOf(others)).replaceAll('\r', ''));
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
          {isBare !== undefined && <Check label={texts.commas} hint={texts.commasHint} isChecked={isBare} onChange={setCommas} />}
        </section>
      )}
      {rows.length > 0 && (
        <section class="card">
          <div class="bar">
            <p role="status">
              {isStarted ? texts.progress(made.length, sent.length, failed.length, action.isBusy ? 0 : untried, wrong.length) : texts.checked(ready.length, wrong.length)}
            </p>
            <div class="buttons">
              {(isStarted ? made.length < sent.length : ready.length > 0) && (
                <button class="primary" onClick={create} aria-disabled={action.isBusy}>
                  {isStarted ? texts.tryAgain(sent.length - made.length) : texts.createMany(ready.length)}
                </button>
              )}
              {isStarted && !isUnknown && !action.isBusy && others.length > 0 && <button onClick={editFailed}>{texts.editFailed}</button>}
              {made.length > 0 && <CopyButton text={made.map((row) => row.link?.short_url).join('\n')} label={texts.copyAll}>{texts.copyAll}</CopyButton>}
              {made.length > 0 && <button onClick={results}>{texts.downloadCsv}</button>}
              {isStarted && !action.isBusy && <button onClick={() => { setBatches(undefined); setText(''); setCommas(undefined); action.clear(); }}>{texts.startOver}</button>}
            </div>
          </div>
          {isStarted && <progress max={sent.length} value={made.length + failed.length} aria-label={texts.pasteMany} />}
          <Problem failure={action.failure} />
          {isUnknown && <p class="hint">{texts.unknownOutcome}</p>}
          <div class="scroll" tabIndex={0} role="region" aria-label={texts.rows}>
            <table>
              <thead>
                <tr><th scope="col" class="number">#</th><th scope="col">{texts.destination}</th><th scope="col">{texts.shortLink}</th><th scope="col">{texts.title}</th><th scope="col">{texts.campaign}</th></tr>
              </thead>
              <tbody>
                {[...rows.filter((row) => row.problem), ...rows.filter((row) => !row.problem)].slice(0, shownRows).map((row) => <Shown key={row.line} row={row} />)}
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
