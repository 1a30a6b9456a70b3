/** A provider's earnings over time, from the storage's sums by hour: the cost does not grow with the tips. */

import type { StepOptions, StepQueue } from '#server/queue/step-queue.ts';
import type { EarningsPeriod, EntryRecord, Totals } from '#server/storage/port/ledger.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import {
  type Clock,
  dateAfter,
  daysIn,
  firstOfDate,
  isoDate,
  lastOfMonth,
  steadyStretches,
} from '#shared/calendar.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import type { UserId } from '#shared/ids.ts';
import { type Insights, type InsightsQuery, insights } from '#shared/records.ts';
import { readWithChanges } from './book-changes.ts';
import { dayStartHourOf } from './books.ts';
import { createTally, type Dates, type SummedHours, sumHours } from './earnings-tally.ts';
import { createPastReadings, type PastReadings } from './past-readings.ts';

export interface Earnings {
  /** The earnings of a period and of the one before. Days begin at the query's hour, the account's, or midnight. */
  insights(account: Account, query: InsightsQuery, options?: StepOptions): Promise<Insights>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Entries since a reading of a past period; more of them cost as much as reading it again. */
const MAX_NEWS = 50;
/** In sums of 100 bytes or so: the past of 500 accounts, of a month each. */
const MAX_KEPT_SUMS = 100_000;
/** What a key with its two maps takes, and a map in one of them, in sums. */
const OF_A_KEY = 6;
const OF_A_MAP = 2;
const MAX_KEPT_TOTALS = 10_000;

type ReceivedTotals = Pick<Totals, 'receivedCount' | 'receivedCents'>;

/** @param queryQueue has a step for each query. */
export function createEarnings(storage: Storage, queryQueue: StepQueue, clock: Clock): Earnings {
  const pastHours = createPastReadings<SummedHours>(
    MAX_KEPT_SUMS,
    ({ days, hours }) =>
      OF_A_KEY + hours.size + [...days.values()].reduce((sum, services) => sum + OF_A_MAP + services.size, 0),
  );
  const pastTotals = createPastReadings<ReceivedTotals>(MAX_KEPT_TOTALS, () => 1);

  return {
    async insights(account, query, options) {
      const { id } = account;
      const { from, to, timeZone, serviceCategory = null } = query;
      const dayStartHour = dayStartHourOf(account, query);
      const pastUntilMs = Math.floor(clock() / DAY_MS) * DAY_MS;
      const partsOf = (dates: Dates) =>
        partsOfPeriod({ ...dates, timeZone, dayStartHour, serviceCategory }, pastUntilMs);
      const inTurn = async <Answer>(read: () => Promise<Answer>) => {
        await queryQueue.step(id, options);
        return read();
      };
      const begin = (newest: number) => {
        const tally = createTally(query, dayStartHour);
        const isPastKept = createNewsJudge(id, newest, (position) =>
          inTurn(() => storage.listEntriesSince(id, position, MAX_NEWS)),
        );
        const readPart = <Value>(
          past: PastReadings<Value>,
          part: EarningsPeriod,
          read: () => Promise<Value>,
        ) => {
          const { fromMs, untilMs, offsetMs } = part;
          if (untilMs > pastUntilMs) return inTurn(read);
          return past.get([id, fromMs, untilMs, offsetMs, serviceCategory].join(), {
            newest,
            isStillTrue: (position) => isPastKept(position, untilMs),
            read: () => inTurn(read),
          });
        };
        return {
          add: tally.addChange,
          async read() {
            for (const part of partsOf(query)) {
              const readHours = async () => sumHours(await storage.readHourlyEarnings(id, part));
              tally.addHours(await readPart(pastHours, part, readHours));
            }
            const previous = periodBefore(from, to);
            const before = { count: 0, netCents: 0 };
            for (const part of partsOf(previous)) {
              const { fromMs, untilMs } = part;
              const readTotals = () => storage.readTotals(id, fromMs, untilMs, serviceCategory ?? undefined);
              const sums = await readPart(pastTotals, part, readTotals);
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

/**
 * Judges whether the entries after a position leave the earnings before a time as they were: those of a tip are of its
 * own time, also when it is refunded later. Entries are read once, because most parts were kept at one position.
 */
function createNewsJudge(
  id: UserId,
  newest: number,
  read: (position: number) => Promise<readonly EntryRecord[]>,
): (position: number, untilMs: number) => Promise<boolean> {
  const known = new Map<number, Promise<readonly EntryRecord[]>>();
  return async (position, untilMs) => {
    if (position > newest || newest - position > MAX_NEWS) return false;
    const news = known.get(position) ?? read(position);
    known.set(position, news);
    return (await news).every(
      ({ transaction: { receiverId, createdAtMs } }) => receiverId !== id || createdAtMs >= untilMs,
    );
  };
}

interface DatedPeriod extends Dates {
  readonly timeZone: string;
  readonly dayStartHour: number;
  readonly serviceCategory: ServiceCategory | null;
}

/**
 * Splits a period into parts with a constant offset from UTC, which are over by a time or begin there. The offset is as
 * many hours behind the clocks as days begin after midnight, so that the storage's days and weeks begin at that hour.
 */
function* partsOfPeriod(period: DatedPeriod, pastUntilMs: number): Generator<EarningsPeriod, void> {
  const { from, to, timeZone, dayStartHour, serviceCategory } = period;
  const firstOf = (date: string) => firstOfDate(date, timeZone, dayStartHour);
  const stretches = steadyStretches(firstOf(from), firstOf(dateAfter(to, 1)), timeZone, dayStartHour);
  for (const { fromMs, untilMs, offsetMs } of stretches) {
    const ofAll = { offsetMs: offsetMs - dayStartHour * HOUR_MS, serviceCategory };
    const isDivided = fromMs < pastUntilMs && pastUntilMs < untilMs;
    yield { ...ofAll, fromMs, untilMs: isDivided ? pastUntilMs : untilMs };
    if (isDivided) yield { ...ofAll, fromMs: pastUntilMs, untilMs };
  }
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
