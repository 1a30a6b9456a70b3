/**
 * A table of tips by weekday and hour, shaded like a map, with numbers, because a shade alone says nothing to many
 * people. The style sheet shows the widest of three tables that fits.
 */

import { type KeyboardEvent, useState } from 'react';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { cents, formatMoney } from '#shared/money.ts';
import type { Insights } from '#shared/records.ts';
import { formatHour, formatTipCount, formatWeekday } from './format.ts';
import styles from './hours.module.css';

const HOURS_PER_COLUMN = [1, 3, 6];

interface Block {
  readonly key: string;
  /** 1 for Monday to 7 for Sunday (ISO 8601). */
  readonly weekday: number;
  readonly hour: number;
  /** Whether the hour comes after the midnight of a day that began before noon. */
  readonly isOfNight: boolean;
  readonly count: number;
  readonly netCents: number;
}

export function Hours({ byHour, dayStartHour }: Pick<Insights, 'byHour' | 'dayStartHour'>) {
  return (
    <div className={styles.hours}>
      <p className={styles.caption}>How many tips came, by weekday and hour.</p>
      {HOURS_PER_COLUMN.map((hours) => (
        <HoursTable key={hours} hours={hours} blocks={blocksOf(byHour, hours, dayStartHour)} />
      ))}
    </div>
  );
}

interface HoursTableProps {
  readonly hours: number;
  readonly blocks: readonly (readonly Block[])[];
}

function HoursTable({ hours, blocks }: HoursTableProps) {
  const all = blocks.flat();
  const most = all.reduce((one, other) => (other.count > one.count ? other : one));
  const [chosen, setChosen] = useState<string | null>(null);
  const told = all.find(({ key }) => key === chosen);
  const shown = told ?? most;
  const [firstDay = []] = blocks;
  return (
    <div className={styles.map} data-hours={hours}>
      <p className={styles.told}>
        {!told && 'Most tips: '}
        {formatWeekday(shown.weekday, 'long')}
        {shown.isOfNight && ' night'}, {formatHour(shown.hour)} to {formatHour(shown.hour + hours)}
        {' · '}
        {formatTipCount(shown.count)}, {formatMoney(cents(shown.netCents))}
      </p>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys walk through its cells
        role="grid"
        className={styles.table}
        onKeyDown={walk}
        onBlur={() => setChosen(null)}
        onPointerLeave={({ pointerType }) => {
          if (pointerType === 'mouse') setChosen(null);
        }}
      >
        <caption className="visually-hidden">Tips by weekday and hour of the day</caption>
        <thead>
          <tr>
            <td />
            {firstDay.map(({ hour }, column) => (
              <th key={hour} scope="col">
                {/* Columns of one hour have room for every third label. */}
                <span className={hours === 1 && column % 3 !== 0 ? 'visually-hidden' : undefined}>
                  {formatHour(hour)}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {blocks.map((row) => (
            <tr key={row[0]?.key}>
              <th scope="row">
                <span className="visually-hidden">{formatWeekday(row[0]?.weekday ?? 1, 'long')}</span>
                <span aria-hidden="true">{formatWeekday(row[0]?.weekday ?? 1, 'short')}</span>
              </th>
              {row.map((block) => (
                <td
                  key={block.key}
                  // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of the grid
                  role="gridcell"
                  data-level={levelOf(block.count, most.count)}
                  tabIndex={block === shown ? 0 : -1}
                  onFocus={() => setChosen(block.key)}
                  onPointerEnter={() => setChosen(block.key)}
                >
                  {block.count > 0 ? (
                    <>
                      {block.count.toLocaleString(PAGE_LANGUAGE)}
                      <span className="visually-hidden">
                        {block.count === 1 ? ' tip' : ' tips'}, {formatMoney(cents(block.netCents))}
                      </span>
                    </>
                  ) : (
                    <span className="visually-hidden">no tips</span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** All blocks of the week, from Monday and by hour from `startHour` on. @param hours of a block: a divisor of 24. */
export function blocksOf(
  byHour: Insights['byHour'],
  hours: number,
  startHour: number,
): readonly (readonly Block[])[] {
  return Array.from({ length: 7 }, (_, day) =>
    Array.from({ length: 24 / hours }, (_, column) => {
      const weekday = day + 1;
      const hour = (startHour + column * hours) % 24;
      const columnOf = (one: number) => Math.floor(((one - startHour + 24) % 24) / hours);
      const inside = byHour.filter((one) => one.weekday === weekday && columnOf(one.hour) === column);
      return {
        key: `${weekday}-${hour}`,
        weekday,
        hour,
        isOfNight: hour < startHour && startHour <= 12,
        count: inside.reduce((sum, { count }) => sum + count, 0),
        netCents: inside.reduce((sum, { netCents }) => sum + netCents, 0),
      };
    }),
  );
}

/** The shade of a cell: 0 without tips, 4 with the most. */
function levelOf(count: number, most: number): number {
  return count === most ? 4 : Math.ceil((3 * count) / most);
}

/** WAI-ARIA Authoring Practices, "Grid". */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const rows = [...event.currentTarget.querySelectorAll('tbody tr')].map((row) => [
    ...row.querySelectorAll<HTMLElement>('[role="gridcell"]'),
  ]);
  const y = rows.findIndex((row) => row.some((cell) => cell.matches(':focus')));
  const x = rows[y]?.findIndex((cell) => cell.matches(':focus')) ?? -1;
  const last = (rows[y]?.length ?? 0) - 1;
  const next = new Map<string, readonly [x: number, y: number]>([
    ['ArrowRight', [x + 1, y]],
    ['ArrowLeft', [x - 1, y]],
    ['ArrowDown', [x, y + 1]],
    ['ArrowUp', [x, y - 1]],
    ['Home', [0, y]],
    ['End', [last, y]],
  ]).get(event.key);
  if (!next) return;
  event.preventDefault();
  rows[next[1]]?.[next[0]]?.focus();
}
