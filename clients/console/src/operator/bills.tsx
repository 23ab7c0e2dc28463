// Bills: what each customer used in a month, with its plan.

import { useLoaded } from '../shared/action';
import { downloadCsv } from '../shared/csv';
import { month as monthName, number, utcMonth } from '../shared/format';
import { Badge, Field, Fields, Shown, Table, Title } from '../shared/parts';
import { address, navigate, usePlace } from '../shared/router';
import { operatorTexts as texts } from '../shared/texts';
import type { OwnerUsage } from './api';
import { OwnerLink } from './customers';
import { useSession } from './session';

/** Number of customers that are shown; the CSV has all. */
const shownRows = 200;
const figures = ['requests', 'links_created', 'links_deleted', 'links', 'clicks'] as const;

export function Bills() {
  const { api } = useSession();
  const month = usePlace().query.get('month') ?? utcMonth(-1);
  const bill = useLoaded(async (signal) => {
    const { data: rows, is_final } = await api.usage.get({ month }, { signal });
    const sums = Object.fromEntries(figures.map((name) => [name, rows.reduce((sum, row) => sum + (row[name] ?? 0), 0)]));
    return { rows, is_final, sum: { owner_id: 0, owner_name: '', plan_name: null, ...sums } as (typeof rows)[number] };
  }, [month]);
  const cell = (name: (typeof figures)[number]) => (row: OwnerUsage) => (row[name] === null ? '' : number(row[name]));
  return (
    <>
      <Title text={texts.bills} />
      <Fields failure={bill.failure}>
        <section class="card">
          <div class="line">
            <Field name="month" label={texts.monthUtc} type="month" value={month} max={utcMonth(0)} onChange={(value) => value && navigate(address(['bills'], { month: value }), true)} />
          </div>
          <Shown of={bill}>
            {({ rows, is_final, sum }) => (
              <>
                <div class="bar">
                  <p>{monthName(month)} <Badge kind={is_final ? 'active' : 'paused'}>{is_final ? texts.isFinal : texts.notFinalYet}</Badge></p>
                  <button onClick={() => downloadCsv(`usage-${month}.csv`, [
                    ['month', 'owner_id', 'owner_name', 'plan_name', ...figures, 'is_final'],
                    ...rows.map((row) => [month, row.owner_id, row.owner_name, row.plan_name, ...figures.map((name) => row[name]), String(is_final)]),
                  ])}>{texts.downloadCsv}</button>
                </div>
                <Table label={texts.bills} items={[sum, ...rows.slice(0, shownRows)]} keyOf={(row) => row.owner_id} columns={[
                  [texts.customer, (row) => (row === sum ? <strong>{texts.allOf(rows.length)}</strong> : <OwnerLink id={row.owner_id} name={row.owner_name} />)],
                  [texts.plan, (row) => row.plan_name ?? ''],
                  ...figures.map((name) => [texts.figures[name], cell(name), 'number'] as const),
                ]} />
                {rows.length > shownRows && <p class="faint">{texts.moreRows(rows.length - shownRows)}</p>}
              </>
            )}
          </Shown>
        </section>
      </Fields>
    </>
  );
}
