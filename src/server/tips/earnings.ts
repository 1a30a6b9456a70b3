/** A provider's earnings over time, from the storage's sums by hour: the cost does not grow with the tips. */

import type { StepOptions, StepQueue } from '#server/queue/step-queue.ts';
import type { EarningsPeriod } from '#server/storage/port/ledger.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import { dateAfter, daysIn, firstOfDate, isoDate, lastOfMonth, steadyStretches } from '#shared/calendar.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { type Insights, type InsightsQuery, insights } from '#shared/records.ts';
import { readWithChanges } from './book-changes.ts';
import { dayStartHourOf } from './books.ts';
import { createTally, type Dates } from './earnings-tally.ts';

export interface Earnings {
  /** The earnings of a period and of the one before. Days begin at the query's hour, the account's, or midnight. */
  insights(account: Account, query: InsightsQuery, options?: StepOptions): Promise<Insights>;
}

const HOUR_MS = 3_600_000;

export function createEarnings(storage: Storage, queryQueue: StepQueue): Earnings {
  return {
    async insights(account, query, options) {
      const { id } = account;
      const { from, to, timeZone, serviceCategory = null } = query;
      const dayStartHour = dayStartHourOf(account, query);
      const partsOf = (dates: Dates) => partsOfPeriod({ ...dates, timeZone, dayStartHour, serviceCategory });
      const inTurn = async <Answer>(read: () => Promise<Answer>) => {
        await queryQueue.step(id, options);
        return read();
      };
      const begin = () => {
        const tally = createTally(query, dayStartHour);
        return {
          add: tally.addChange,
          async read() {
            for (const part of partsOf(query)) {
              tally.addHours(await inTurn(() => storage.readHourlyEarnings(id, part)));
            }
            const previous = periodBefore(from, to);
            const before = { count: 0, netCents: 0 };
            for (const { fromMs, untilMs } of partsOf(previous)) {
              const sums = await inTurn(() =>
                storage.readTotals(id, fromMs, untilMs, serviceCategory ?? undefined),
              );
              before.count += sums.receivedCount;
              before.netCents += sums.receivedCents;
            }
            return insights.parse({ ...tally.shown(), before: { ...previous, ...before } });
          },
        };
      };
      return readWithChanges({ storage, queue: queryQueue }, id, begin, options);
    },
  };
}

interface DatedPeriod extends Dates {
  readonly timeZone: string;
  readonly dayStartHour: number;
  readonly serviceCategory: ServiceCategory | null;
}

/**
 * Splits a period into parts with a constant offset from UTC. The offset is as many hours behind the clocks as days
 * begin after midnight, so that the storage's days and weeks begin at that hour.
 */
function* partsOfPeriod(period: DatedPeriod): Generator<EarningsPeriod, void> {
  const { from, to, timeZone, dayStartHour, serviceCategory } = period;
  const firstOf = (date: string) => firstOfDate(date, timeZone, dayStartHour);
  for (const stretch of steadyStretches(firstOf(from), firstOf(dateAfter(to, 1)), timeZone, dayStartHour))
    yield { ...stretch, offsetMs: stretch.offsetMs - dayStartHour * HOUR_MS, serviceCategory };
}

/** The period before: as many months long if it has whole months, else as many days. */
function periodBefore(from: string, to: string): Dates {
  const last = dateAfter(from, -1);
  if (from.endsWith('-01') && to === lastOfMonth(to)) {
    const months =
      12 * (Number(to.slice(0, 4)) - Number(from.slice(0, 4))) +
      Number(to.slice(5, 7)) -
      Number(from.slice(5, 7)) +
      1;
    const start = new Date(from);
    start.setUTCMonth(start.getUTCMonth() - months);
    return { from: isoDate(start.getTime()), to: last };
  }
  return { from: dateAfter(last, 1 - daysIn({ from, to })), to: last };
}
