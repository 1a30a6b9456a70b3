/**
 * When tips come: a table of weekdays and hours, shaded like a map. The number of tips stands in each cell, so that no shade is needed to
 * read it. A narrow screen has fewer columns of more hours; the style sheet shows the widest table that fits.
 */
import { type KeyboardEvent, useState } from 'react';
import { cents, formatUsd } from '#shared/money.ts';
import type { Insights } from '#shared/records.ts';
import { hourInWords, tipsInWords, weekdayInWords } from './format.ts';
import { type Block, blocksOf } from './hour-blocks.ts';
import styles from './hours.module.css';

const HOURS_PER_COLUMN = [1, 3, 6];

export function Hours({ byHour }: Pick<Insights, 'byHour'>) {
  return (
    <div className={styles.hours}>
      <p className={styles.caption}>How many tips came, by weekday and hour.</p>
      {HOURS_PER_COLUMN.map((hours) => (
        <HoursTable key={hours} hours={hours} blocks={blocksOf(byHour, hours)} />
      ))}
    </div>
  );
}

interface HoursTableProps {
  /** How many hours a column stands for. */
  readonly hours: number;
  /** By weekday from Monday, and by hour from midnight. */
  readonly blocks: readonly (readonly Block[])[];
}

function HoursTable({ hours, blocks }: HoursTableProps) {
  const all = blocks.flat();
  const most = all.reduce((one, other) => (other.count > one.count ? other : one));
  /** The key of the block that is told of; null for the one with the most tips. */
  const [chosen, setChosen] = useState<string | null>(null);
  const told = all.find(({ key }) => key === chosen);
  const shown = told ?? most;
  const [firstDay = []] = blocks;
  return (
    <div className={styles.map} data-hours={hours}>
      <p className={styles.told}>
        {!told && 'Most tips: '}
        {weekdayInWords(shown.weekday, 'long')}, {hourInWords(shown.hour)} to{' '}
        {hourInWords(shown.hour + hours)}
        {' · '}
        {tipsInWords(shown.count)}, {formatUsd(cents(shown.netCents))}
      </p>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: arrow keys walk through its cells, as through those of a grid
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
            {firstDay.map(({ hour }) => (
              <th key={hour} scope="col">
                {/* Columns of an hour have room for every third name. */}
                <span className={hours === 1 && hour % 3 !== 0 ? 'visually-hidden' : undefined}>
                  {hourInWords(hour)}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {blocks.map((row) => (
            <tr key={row[0]?.key}>
              <th scope="row">
                <span className="visually-hidden">{weekdayInWords(row[0]?.weekday ?? 1, 'long')}</span>
                <span aria-hidden="true">{weekdayInWords(row[0]?.weekday ?? 1, 'short')}</span>
              </th>
              {row.map((block) => (
                <td
                  key={block.key}
                  // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: it is a cell of the grid above
                  role="gridcell"
                  data-level={levelOf(block.count, most.count)}
                  tabIndex={block === shown ? 0 : -1}
                  onFocus={() => setChosen(block.key)}
                  onPointerEnter={() => setChosen(block.key)}
                >
                  {block.count > 0 ? (
                    <>
                      {block.count.toLocaleString('en-US')}
                      <span className="visually-hidden">
                        {block.count === 1 ? ' tip' : ' tips'}, {formatUsd(cents(block.netCents))}
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

/** How strong the shade of a cell is: 0 without tips, 4 with the most. */
function levelOf(count: number, most: number): number {
  return count === most ? 4 : Math.ceil((3 * count) / most);
}

/** Moves the focus from cell to cell (WAI-ARIA Authoring Practices, "Grid"). */
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
