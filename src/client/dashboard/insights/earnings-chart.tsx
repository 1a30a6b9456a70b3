/**
 * The takings of each day, week or month as a bar chart. Its drawing is for the eye; above it lies a list box with an option for each
 * bar, which pointers and arrow keys walk through and screen readers read, and below it the same numbers stand in a table.
 */
import { scaleBand, scaleLinear } from '@visx/scale';
import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { formatUsd } from '#shared/money.ts';
import type { EarningsBar, Granularity, Insights } from '#shared/records.ts';
import { Money } from '../../ui/money.tsx';
import styles from './earnings-chart.module.css';
import { barInWords, barLabel, periodInWords, roundedUsd, tipsInWords } from './format.ts';

/** About as many lines as the eye needs to read a height. */
const LINES = 4;
/** The part of a bar's place that stays free, half of it on each side. */
const GAP = 0.3;

interface TakingsChartProps {
  readonly takings: Insights;
  readonly granularity: Granularity;
}

export function TakingsChart({ takings, granularity }: TakingsChartProps) {
  const { bars, count } = takings;
  /** The first day of the bar that is told of; null for the highest. */
  const [chosen, setChosen] = useState<string | null>(null);
  const highest = bars.reduce((one, other) => (other.netCents > one.netCents ? other : one));
  const told = bars.find(({ from }) => from === chosen);
  const heights = scaleLinear({ domain: [0, highest.netCents], range: [100, 0], nice: LINES });
  const places = scaleBand({
    domain: bars.map(({ from }) => from),
    range: [0, 100],
    paddingInner: GAP,
    paddingOuter: GAP / 2,
  });
  const inReach = told ?? bars.at(-1);
  const lines = heights.ticks(LINES);
  const busy = bars.filter((bar) => bar.count > 0).length;

  return (
    <figure className={styles.chart}>
      <figcaption className={styles.caption}>
        {tipsInWords(count)} on {busy} of {bars.length} {granularity}s, {periodInWords(takings, granularity)}.
      </figcaption>
      <p className={styles.told}>
        <span>
          {!told && 'Highest: '}
          {barInWords(told ?? highest, granularity)}
        </span>{' '}
        <span className={styles.toldSum}>
          <Money amountCents={(told ?? highest).netCents} />
        </span>{' '}
        <span>{tipsInWords((told ?? highest).count)}</span>
      </p>
      <div className={styles.frame}>
        <div className={styles.scale} aria-hidden="true">
          {lines.map((line) => (
            <span key={line} style={{ top: `${heights(line)}%` }}>
              {roundedUsd(line)}
            </span>
          ))}
        </div>
        <div className={styles.plot}>
          <svg className={styles.drawing} aria-hidden="true">
            {lines.map((line) => (
              <line
                key={line}
                className={styles.line}
                x2="100%"
                y1={`${heights(line)}%`}
                y2={`${heights(line)}%`}
              />
            ))}
            {bars
              .filter((bar) => bar.netCents > 0)
              .map((bar) => (
                <rect
                  key={bar.from}
                  className={styles.bar}
                  data-told={bar === told}
                  x={`${places(bar.from)}%`}
                  y={`${heights(bar.netCents)}%`}
                  width={`${places.bandwidth()}%`}
                  // Its lower end, which is round as well, lies outside of the drawing.
                  height="110%"
                />
              ))}
          </svg>
          <div
            role="listbox"
            aria-label={`Takings per ${granularity}`}
            aria-orientation="horizontal"
            // The options take the focus in its place.
            tabIndex={-1}
            className={styles.bars}
            onKeyDown={walk}
            onBlur={() => setChosen(null)}
            onPointerDown={(event) => setChosen(barAt(event, bars))}
            onPointerMove={(event) => setChosen(barAt(event, bars))}
            onPointerLeave={({ pointerType }) => {
              // A finger that was lifted would take away what it asked for.
              if (pointerType === 'mouse') setChosen(null);
            }}
          >
            {bars.map((bar) => (
              <div
                key={bar.from}
                role="option"
                aria-selected={bar === told}
                aria-label={`${barInWords(bar, granularity)}: ${formatUsd(bar.netCents)}, ${tipsInWords(bar.count)}`}
                tabIndex={bar === inReach ? 0 : -1}
                className={styles.place}
                onFocus={() => setChosen(bar.from)}
              />
            ))}
          </div>
        </div>
        <div className={styles.labels} aria-hidden="true">
          {bars.map((bar, index) => (
            <span key={bar.from} data-rank={rankOf(bars.length - 1 - index, bars.length)}>
              {barLabel(bar, granularity)}
            </span>
          ))}
        </div>
      </div>
      <details className={styles.more}>
        <summary>Show as table</summary>
        <BarsTable takings={takings} granularity={granularity} />
      </details>
    </figure>
  );
}

function BarsTable({ takings, granularity }: TakingsChartProps) {
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">Takings per {granularity}</caption>
      <thead>
        <tr>
          <th scope="col">{{ day: 'Day', week: 'Week', month: 'Month' }[granularity]}</th>
          <th scope="col">Tips</th>
          <th scope="col" className={styles.optional}>
            Before fees
          </th>
          <th scope="col" className={styles.optional}>
            Fees
          </th>
          <th scope="col">Takings</th>
        </tr>
      </thead>
      <tbody>
        {takings.bars.toReversed().map((bar) => (
          <tr key={bar.from}>
            <th scope="row">{barInWords(bar, granularity)}</th>
            <td>{bar.count.toLocaleString('en-US')}</td>
            <td className={styles.optional}>{formatUsd(bar.grossCents)}</td>
            <td className={styles.optional}>{formatUsd(bar.feeCents)}</td>
            <td className={styles.sum}>{formatUsd(bar.netCents)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The first day of the bar below a pointer, which need not touch the bar itself. */
function barAt(
  { currentTarget, clientX }: PointerEvent<HTMLElement>,
  bars: readonly EarningsBar[],
): string | null {
  const { left, width } = currentTarget.getBoundingClientRect();
  return bars[Math.floor(((clientX - left) / width) * bars.length)]?.from ?? null;
}

/** Moves the focus from bar to bar (WAI-ARIA Authoring Practices, "Listbox"). */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const options = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="option"]')];
  const present = options.findIndex((option) => option.matches(':focus'));
  const last = options.length - 1;
  const next = new Map([
    ['ArrowRight', Math.min(present + 1, last)],
    ['ArrowLeft', Math.max(present - 1, 0)],
    ['Home', 0],
    ['End', last],
  ]).get(event.key);
  if (next === undefined) return;
  event.preventDefault();
  options[next]?.focus();
}

/** How soon a label gives way when room is short: 1 for one that always stands, 4 for one that never does. */
function rankOf(distanceFromLast: number, count: number): 1 | 2 | 3 | 4 {
  const few = count <= 12;
  if (distanceFromLast === 0) return 1;
  if (distanceFromLast % (few ? 4 : 7) === 0) return 2;
  return few ? 3 : 4;
}
