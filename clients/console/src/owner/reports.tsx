// Reports: clicks of a range by day, campaign or link, next to those of the range before.

import { useEffect, useState } from 'preact/hooks';
import { useLoaded } from '../shared/action';
import { DayChart } from '../shared/chart';
import { downloadCsv } from '../shared/csv';
import { day, number, utcDay } from '../shared/format';
import { Field, Fields, Shown, Table, Text, Title } from '../shared/parts';
import { address, navigate, usePlace } from '../shared/router';
import { ownerTexts as texts } from '../shared/texts';
import type { ClickReport, ClickReportRow } from './api';
import { useSession } from './session';

const groups = ['day', 'campaign', 'link'] as const;
type Group = (typeof groups)[number];
/** Number of rows that are shown; the CSV has all. */
const shownRows = 200;

/** Returns a day of the address, or of a field in which a year may not be complete. */
const dayIn = (text: string | null | undefined): string | undefined => (text && /^[1-9]\d{3}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined);

const add = (from: string, days: number): string => new Date(Date.parse(`${from}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
const lengthOf = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;
const sum = ({ data }: ClickReport): number => data.reduce((total, row) => total + row.clicks, 0);

/** Ranges that a button chooses: their names, first and last days. */
function presets(): [name: string, from: string, to: string][] {
  const today = utcDay(0);
  const month = `${today.slice(0, 7)}-01`;
  const lastMonth = `${add(month, -1).slice(0, 7)}-01`;
  return [
    [texts.thisMonth, month, today],
    [texts.lastMonth, lastMonth, add(month, -1)],
    [texts.days(30), utcDay(-29), today],
    [texts.days(90), utcDay(-89), today],
  ];
}

interface Typed {
  from?: string;
  to?: string;
  campaign?: string;
}

/** Returns the fields in which something other than a day is typed. */
const wrongIn = (typed: Typed): ('from' | 'to')[] => (['from', 'to'] as const).filter((name) => typed[name] !== undefined && !dayIn(typed[name]));

/** Returns what identifies the group of a row. */
const keyOf = (row: ClickReportRow, by: Group): string | null => (by === 'day' ? row.day : by === 'link' ? row.short_code : row.campaign) ?? null;

export function Reports() {
  const { api } = useSession();
  const { query } = usePlace();
  const from = dayIn(query.get('from')) ?? utcDay(-29);
  const to = dayIn(query.get('to')) ?? utcDay(0);
  const campaign = query.get('campaign') ?? '';
  const by = groups.find((group) => group === query.get('by')) ?? 'day';
  const length = lengthOf(from, to);
  // What is typed and not yet in the address.
  const [typed, setTyped] = useState<Typed>({});
  // What was typed when the visitor last paused, whose errors are shown.
  const [checked, setChecked] = useState(typed);
  useEffect(() => {
    if (Object.keys(typed).length === 0) return;
    const timer = setTimeout(() => {
      setChecked(typed);
      if (wrongIn(typed).length) return;
      navigate(address(['reports'], { from, to, campaign, by, ...typed }), true);
      // What has been typed since has its own timer.
      setTyped((old) => (old === typed ? {} : old));
    }, 500);
    return () => clearTimeout(timer);
  }, [typed, by, from, to, campaign]);
  const errors = checked === typed ? wrongIn(typed).map((member) => ({ member, detail: texts.noDay, text: '' })) : [];
  // A range that a link chooses replaces the days that were typed.
  const forgetDays = () => setTyped(({ from: _, to: __, ...others }) => others);
  const reports = useLoaded(async (signal) => {
    const ask = (first: string, last: string) =>
      api.reports.clicks({ from_day: first, to_day: last, by, ...(campaign && { campaign }) }, { signal });
    const [now, before] = await Promise.all([ask(from, to), ask(add(from, -length), add(from, -1))]);
    return { now, before, by };
  }, [from, to, by, campaign]);
  return (
    <Fields failure={errors.length ? { text: '', errors } : reports.failure}>
      <Title text={texts.reports} />
      <section class="card">
        <div class="line">
          <Field name="from" members={['from_day']} label={texts.firstDay} type="date" value={typed.from ?? from} max={to} onChange={(value) => setTyped((old) => ({ ...old, from: value }))} />
          <Field name="to" members={['to_day']} label={texts.lastDay} type="date" value={typed.to ?? to} min={from} onChange={(value) => setTyped((old) => ({ ...old, to: value }))} />
          <Field name="campaign" label={texts.campaign} value={typed.campaign ?? campaign} onChange={(value) => setTyped((old) => ({ ...old, campaign: value }))} />
        </div>
        <div class="bar">
          <nav class="tabs" aria-label={texts.range}>
            {presets().map(([name, first, last]) => (
              <a key={name} href={address(['reports'], { from: first, to: last, by, campaign })} onClick={forgetDays} aria-current={first === from && last === to ? 'true' : undefined}>{name}</a>
            ))}
          </nav>
          <nav class="tabs" aria-label={texts.groupedBy}>
            {groups.map((group) => (
              <a key={group} href={address(['reports'], { from, to, by: group, campaign })} aria-current={group === by ? 'true' : undefined}>{texts.by[group]}</a>
            ))}
          </nav>
        </div>
      </section>
      <section class="card">
        <Shown of={reports}>{(loaded) => <Report {...loaded} campaign={campaign} />}</Shown>
      </section>
    </Fields>
  );
}

/** How much more or less that is than before, if that is known. */
function Change({ now, before }: { now: number; before: number | undefined }) {
  if (before === undefined) return null;
  if (before === 0) return <span class="faint">{now === 0 ? '' : texts.isNew}</span>;
  const percent = Math.round(((now - before) / before) * 100);
  // Of a small number, hundreds of per cent say little.
  if (percent > 999) return <span>{texts.changeOf(now - before)}</span>;
  return <span>{percent < 0 ? '−' : '+'}{number(Math.abs(percent))} %</span>;
}

function Report({ now, before, by, campaign }: { now: ClickReport; before: ClickReport; by: Group; campaign: string }) {
  const total = sum(now);
  const totalBefore = sum(before);
  const earlier = new Map(before.data.map((row) => [keyOf(row, by), row.clicks]));
  const current = new Set(now.data.map((row) => keyOf(row, by)));
  // A group without a row has no clicks, unless rows were cut off.
  const absent = before.is_truncated ? undefined : 0;
  const earlierOf = (row: ClickReportRow, index: number) => (by === 'day' ? before.data[index]?.clicks : earlier.get(keyOf(row, by))) ?? absent;
  // Groups that have lost all their clicks are among the others, by what they had.
  const lost = by === 'day' || now.is_truncated ? [] : before.data.filter((row) => !current.has(keyOf(row, by))).map((row) => ({ ...row, clicks: 0 }));
  const rows = [...now.data, ...lost].map((row, index) => ({ row, before: earlierOf(row, index) }));
  if (by !== 'day') rows.sort((one, other) => Math.max(other.row.clicks, other.before ?? 0) - Math.max(one.row.clicks, one.before ?? 0));
  const days = ({ data }: ClickReport) => data.map((row) => ({ day: row.day ?? '', clicks: row.clicks }));
  const nameOf = (row: ClickReportRow) => {
    const key = keyOf(row, by);
    if (by === 'day') return <>{day(key ?? '')}</>;
    if (key === null) return <span class="faint">{by === 'link' ? texts.deletedLinks : texts.noCampaign}</span>;
    const to = by === 'link' ? address(['links', key]) : address(['links'], { campaign: key });
    return <a href={to}><Text>{row.title ? `${row.title} (${key})` : key}</Text></a>;
  };
  const save = () => downloadCsv(`clicks-by-${by}.csv`, [
    [by === 'link' ? 'short_code' : by, ...(by === 'link' ? ['title'] : []), 'clicks', 'clicks_before'],
    ...rows.map((one) => [keyOf(one.row, by), ...(by === 'link' ? [one.row.title ?? null] : []), one.row.clicks, one.before ?? null]),
  ]);
  return (
    <>
      <div class="bar">
        <p class="figures">
          <span><strong>{number(total)}</strong> {texts.clicks(total)}</span>
          <span>{texts.rangeBefore(number(totalBefore))} {totalBefore > 0 && <Change now={total} before={totalBefore} />}</span>
        </p>
        <button onClick={save}>{texts.downloadCsv}</button>
      </div>
      <p class="hint">
        {texts.reportOf(day(now.from_day), day(now.to_day), campaign)} {!now.is_final && texts.notFinal} {(now.is_truncated || before.is_truncated) && texts.truncated}
      </p>
      {by === 'day' ? (
        <DayChart days={days(now)} before={days(before)} />
      ) : rows.length === 0 ? <p class="faint">{texts.noClicks}</p> : (
        <Table label={texts.by[by]} items={rows.slice(0, shownRows)}
          keyOf={({ row }) => String(keyOf(row, by))} columns={[
            [texts.by[by], ({ row }) => nameOf(row)],
            [texts.clicksTitle, ({ row }) => number(row.clicks), 'number'],
            [texts.before, (one) => (one.before === undefined ? texts.unknown : number(one.before)), 'number'],
            [texts.change, (one) => <Change now={one.row.clicks} before={one.before} />, 'number'],
          ]} />
      )}
    </>
  );
}
