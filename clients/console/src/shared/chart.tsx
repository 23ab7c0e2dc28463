// A chart of days: bars as wide as the place for them allows, with a table of the same for those who cannot see it.

import { useEffect, useRef, useState } from 'preact/hooks';
import { day, number, shortDay } from './format';
import { Table } from './parts';
import { texts } from './texts';

interface Day {
  day: string;
  clicks: number;
}

const height = 190;
const edge = { bottom: 22, top: 8 };

/** Returns the smallest of 1, 2, 5, 10, 20, … that is not below a fourth of the largest value. */
function stepFor(largest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, largest / 4)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step * 4 >= largest) ?? 10 * power;
}

/** Clicks by day, next to those of the range before if there is one. */
export function DayChart(of: { days: Day[]; before?: Day[] }) {
  const hasClicks = [...of.days, ...(of.before ?? [])].some(({ clicks }) => clicks > 0);
  return hasClicks ? <Chart {...of} /> : <p class="faint">{texts.noClicks}</p>;
}

function Chart({ days, before }: { days: Day[]; before?: Day[] }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  const [at, setAt] = useState<number>();
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const largest = Math.max(1, ...days.map((one) => one.clicks), ...(before ?? []).map((one) => one.clicks));
  const step = stepFor(largest);
  const top = step * Math.ceil(largest / step);
  // As wide as its longest number, whose digits have 7 pixels.
  const margin = { ...edge, left: Math.max(44, 7 * number(top).length + 14) };
  const inner = { width: Math.max(1, width - margin.left), height: height - margin.top - margin.bottom };
  const slot = inner.width / Math.max(1, days.length);
  const bar = Math.max(0.6, slot - Math.min(4, slot * 0.25));
  const x = (index: number) => margin.left + index * slot;
  const y = (value: number) => margin.top + inner.height * (1 - value / top);
  const bars = days.map(({ clicks }, index) => (clicks ? `M${x(index)} ${y(0)}V${y(clicks)}h${bar}V${y(0)}z` : ''));
  const line = before?.map(({ clicks }, index) => `${index ? 'L' : 'M'}${x(index) + bar / 2} ${y(clicks)}`);
  const marks = Math.min(days.length, Math.max(2, Math.floor(inner.width / 110)));
  const labelled = Array.from({ length: marks }, (_, mark) => Math.floor((mark * (days.length - 1)) / Math.max(1, marks - 1)));
  const shown = at === undefined ? undefined : days[at];
  const sum = days.reduce((total, one) => total + one.clicks, 0);
  const earlier = (index = 0) => (before?.[index] ? `, ${texts.earlier(number(before[index].clicks))}` : '');
  const first = days[0]?.day ?? '';
  const last = days.at(-1)?.day ?? '';
  return (
    <>
      <div class="chart" ref={box}
        onPointerMove={(event) => {
          const index = Math.floor((event.clientX - event.currentTarget.getBoundingClientRect().left - margin.left) / slot);
          setAt(index >= 0 && index < days.length ? index : undefined);
        }}
        onPointerLeave={() => setAt(undefined)}>
        <svg width={width} height={height} role="img" aria-label={texts.chartOf(number(sum), day(first), day(last))}>
          {Array.from({ length: Math.round(top / step) + 1 }, (_, index) => (
            <g key={index} class="rule">
              <path d={`M${margin.left} ${y(index * step)}H${width}`} />
              <text x={margin.left - 8} y={y(index * step) + 4} text-anchor="end">{number(index * step)}</text>
            </g>
          ))}
          {at !== undefined && <path class="at" d={`M${x(at)} ${margin.top}h${slot}v${inner.height}h${-slot}z`} />}
          <path class="bars" d={bars.join('')} />
          {line && <path class="before" d={line.join('')} />}
          {labelled.map((index) => (
            <text key={index} class="day" x={x(index) + slot / 2} y={height - 4}
              text-anchor={index === 0 ? 'start' : index === days.length - 1 ? 'end' : 'middle'}>
              {shortDay(days[index]?.day ?? first)}
            </text>
          ))}
        </svg>
        {before && <p class="faint readout">{texts.dashed}</p>}
        <p class="faint readout">
          {shown ? `${day(shown.day)}: ${number(shown.clicks)} ${texts.clicks(shown.clicks)}${earlier(at)}` : texts.utcDays}
        </p>
      </div>
      <details>
        <summary>{texts.asTable}</summary>
        <Table label={texts.clicksByDay} items={days.map((one, index) => ({ ...one, before: before?.[index]?.clicks ?? 0 })).reverse()} keyOf={(one) => one.day} columns={[
          [texts.dayUtc, (one) => day(one.day)],
          [texts.clicksTitle, (one) => number(one.clicks), 'number'],
          ...(before ? [[texts.before, (one: { before: number }) => number(one.before), 'number'] as const] : []),
        ]} />
      </details>
    </>
  );
}
