/**
 * The earnings as a bar chart. The drawing is for the eye. A list box over it is for pointers, arrow keys and screen
 * readers, and a table repeats the numbers.
 */

import { scaleBand, scaleLinear } from '@visx/scale';
import { type KeyboardEvent, type PointerEvent, useState } from 'react';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { cents, formatMoney } from '#shared/money.ts';
import type { EarningsBar, Granularity, Insights } from '#shared/records.ts';
import { hasFees } from '../../signed-in/told-fees.ts';
import { Money } from '../../ui/money.tsx';
import styles from './earnings-chart.module.css';
import { formatBar, formatBarShort, formatPeriod, formatRounded, formatTipCount } from './format.ts';

/** The eye needs about as many lines to read a height. */
const LINES = 4;
/** The free part of a bar's place, half of it on each side. */
const GAP = 0.3;

interface EarningsChartProps {
  readonly earnings: Insights;
  readonly granularity: Granularity;
}

export function EarningsChart({ earnings, granularity }: EarningsChartProps) {
  const { bars, count } = earnings;
  /** The first day of the bar that is described; null for the highest. */
  const [chosen, setChosen] = useState<string | null>(null);
  const highest = bars.reduce((one, other) => (other.netCents > one.netCents ? other : one));
  const told = bars.find(({ from }) => from === chosen);
  const described = told ?? highest;
  const heights = scaleLinear({ domain: [0, highest.netCents], range: [100, 0], nice: LINES });
  const lines = heights
    .ticks(LINES)
    // Earnings of a few cents have ticks between two cents.
    .filter(Number.isInteger)
    .map((amountCents) => ({ amountCents, top: `${heights(amountCents)}%` }));
  const busy = bars.filter((bar) => bar.count > 0).length;

  return (
    <figure className={styles.chart}>
      <figcaption className={styles.caption}>
        {formatTipCount(count)} on {busy} of {bars.length} {granularity}s,{' '}
        {formatPeriod(earnings, granularity)}.
      </figcaption>
      <p className={styles.told}>
        <span>
          {!told && 'Highest: '}
          {formatBar(described, granularity)}
        </span>{' '}
        <span className={styles.toldSum}>
          <Money amountCents={described.netCents} />
        </span>{' '}
        <span>{formatTipCount(described.count)}</span>
      </p>
      <div className={styles.frame}>
        <div className={styles.scale} aria-hidden="true">
          {lines.map(({ amountCents, top }) => (
            <span key={amountCents} style={{ top }}>
              {formatRounded(cents(amountCents))}
            </span>
          ))}
        </div>
        <div className={styles.plot}>
          <Drawing bars={bars} told={told} lines={lines} topOf={(bar) => `${heights(bar.netCents)}%`} />
          <Options bars={bars} granularity={granularity} told={told} onChosen={setChosen} />
        </div>
        <div className={styles.labels} aria-hidden="true">
          {bars.map((bar, index) => (
            <span key={bar.from} data-rank={rankOf(bars.length - 1 - index, bars.length)}>
              {formatBarShort(bar, granularity)}
            </span>
          ))}
        </div>
      </div>
      <details className={styles.more}>
        <summary>Show as table</summary>
        <BarsTable earnings={earnings} granularity={granularity} />
      </details>
    </figure>
  );
}

interface BarsProps {
  readonly bars: readonly EarningsBar[];
  readonly told: EarningsBar | undefined;
}

interface DrawingProps extends BarsProps {
  readonly lines: readonly { readonly amountCents: number; readonly top: string }[];
  readonly topOf: (bar: EarningsBar) => string;
}

function Drawing({ bars, told, lines, topOf }: DrawingProps) {
  const places = scaleBand({
    domain: bars.map(({ from }) => from),
    range: [0, 100],
    paddingInner: GAP,
    paddingOuter: GAP / 2,
  });
  return (
    <svg className={styles.drawing} aria-hidden="true">
      {lines.map(({ amountCents, top }) => (
        <line key={amountCents} className={styles.line} x2="100%" y1={top} y2={top} />
      ))}
      {bars
        .filter((bar) => bar.netCents > 0)
        .map((bar) => (
          <rect
            key={bar.from}
            className={styles.bar}
            data-told={bar === told}
            x={`${places(bar.from)}%`}
            y={topOf(bar)}
            width={`${places.bandwidth()}%`}
            // The lower end is round as well, and lies outside of the drawing.
            height="110%"
          />
        ))}
    </svg>
  );
}

interface OptionsProps extends BarsProps {
  readonly granularity: Granularity;
  readonly onChosen: (from: string | null) => void;
}

function Options({ bars, granularity, told, onChosen }: OptionsProps) {
  const inReach = told ?? bars.at(-1);
  return (
    <div
      role="listbox"
      aria-label={`Earnings per ${granularity}`}
      aria-orientation="horizontal"
      // The options take the focus in its place.
      tabIndex={-1}
      className={styles.bars}
      onKeyDown={walk}
      onBlur={() => onChosen(null)}
      onPointerDown={(event) => onChosen(barAt(event, bars))}
      onPointerMove={(event) => onChosen(barAt(event, bars))}
      onPointerLeave={({ pointerType }) => {
        // Lifting a finger leaves the description that the tap asked for.
        if (pointerType === 'mouse') onChosen(null);
      }}
    >
      {bars.map((bar) => (
        <div
          key={bar.from}
          role="option"
          aria-selected={bar === told}
          aria-label={labelOf(bar, granularity)}
          tabIndex={bar === inReach ? 0 : -1}
          className={styles.place}
          onFocus={() => onChosen(bar.from)}
        />
      ))}
    </div>
  );
}

function labelOf(bar: EarningsBar, granularity: Granularity): string {
  return `${formatBar(bar, granularity)}: ${formatMoney(bar.netCents)}, ${formatTipCount(bar.count)}`;
}

function BarsTable({ earnings, granularity }: EarningsChartProps) {
  const isFeeTold = hasFees(
    'received',
    earnings.bars.map(({ feeCents }) => feeCents),
  );
  const hasChanges = earnings.bars.some(({ books }) => books.changes.netCents !== 0);
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">Earnings per {granularity}</caption>
      <thead>
        <tr>
          <th scope="col">{{ day: 'Day', week: 'Week', month: 'Month' }[granularity]}</th>
          <th scope="col">Tips</th>
          {isFeeTold && (
            <>
              <th scope="col" className={styles.optional}>
                Before fees
              </th>
              <th scope="col" className={styles.optional}>
                Fees
              </th>
            </>
          )}
          <th scope="col">Earnings</th>
          {hasChanges && (
            <th scope="col" className={styles.optional}>
              Went back
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {earnings.bars.toReversed().map((bar) => (
          <tr key={bar.from}>
            <th scope="row">{formatBar(bar, granularity)}</th>
            <td>{bar.count.toLocaleString(PAGE_LANGUAGE)}</td>
            {isFeeTold && (
              <>
                <td className={styles.optional}>{formatMoney(bar.grossCents)}</td>
                <td className={styles.optional}>{formatMoney(bar.feeCents)}</td>
              </>
            )}
            <td className={styles.sum}>{formatMoney(bar.netCents)}</td>
            {hasChanges && <td className={styles.optional}>{formatMoney(bar.books.changes.netCents)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** @returns the first day of the bar in whose column the pointer is. */
function barAt(
  { currentTarget, clientX }: PointerEvent<HTMLElement>,
  bars: readonly EarningsBar[],
): string | null {
  const { left, width } = currentTarget.getBoundingClientRect();
  return bars[Math.floor(((clientX - left) / width) * bars.length)]?.from ?? null;
}

/** WAI-ARIA Authoring Practices, "Listbox". */
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

/** Where room is short, labels of rank 4 give way first, and that of rank 1 stays. */
function rankOf(distanceFromLast: number, count: number): 1 | 2 | 3 | 4 {
  const few = count <= 12;
  if (distanceFromLast === 0) return 1;
  if (distanceFromLast % (few ? 4 : 7) === 0) return 2;
  return few ? 3 : 4;
}
