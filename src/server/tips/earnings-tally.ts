/** The earnings of a period, added up for a chart from the storage's sums by hour. It reads nothing. */
import type { BookChange, HourlyEarnings } from '#server/storage/port/ledger.ts';
import { dateAfter, dateAt, firstOfDate, isoDate, lastDateOf } from '#shared/calendar.ts';
import { SERVICE_CATEGORIES, type ServiceCategory } from '#shared/categories.ts';
import type { Granularity, InsightsQuery } from '#shared/records.ts';

const DAY_MS = 86_400_000;
const HOURS_OF_DAY = 24;
const HOURS_OF_WEEK = 168;
/** 1970 began on a Thursday, this many hours after the beginning of a week. */
const HOURS_TO_THURSDAY = 72;

export type Dates = Pick<InsightsQuery, 'from' | 'to'>;

interface HourSums {
  count: number;
  netCents: number;
}

interface Sums extends HourSums {
  grossCents: number;
  feeCents: number;
}

/** The sums of hours: by day since 1970 and service, and by hour of the week from Monday midnight on. */
export interface SummedHours {
  readonly days: ReadonlyMap<number, ReadonlyMap<ServiceCategory, Sums>>;
  readonly hours: ReadonlyMap<number, HourSums>;
  readonly largestNetCents: number;
}

export function sumHours(taken: readonly HourlyEarnings[]): SummedHours {
  const days = new Map<number, Map<ServiceCategory, Sums>>();
  const hours = new Map<number, HourSums>();
  let largestNetCents = 0;
  for (const one of taken) {
    addHour(hours, (one.hour + HOURS_TO_THURSDAY) % HOURS_OF_WEEK, one);
    const day = Math.floor(one.hour / HOURS_OF_DAY);
    const services = days.get(day) ?? new Map<ServiceCategory, Sums>();
    days.set(day, services);
    add(sumsIn(services, one.serviceCategory), one);
    largestNetCents = Math.max(largestNetCents, one.largestCents);
  }
  return { days, hours, largestNetCents };
}

/** Adds up earnings. Days and hours have to be of the query's service, if it names one; other changes are left out. */
export function createTally(query: Omit<InsightsQuery, 'dayStartHour'>, dayStartHour: number) {
  const { from, to, granularity, timeZone, serviceCategory = null } = query;
  const fromMs = firstOfDate(from, timeZone, dayStartHour);
  const untilMs = firstOfDate(dateAfter(to, 1), timeZone, dayStartHour);
  const all = noSums();
  let largestNetCents = 0;
  const days = new Map<string, Sums>();
  const services = new Map<ServiceCategory, Sums>();
  const bars = barsOf(from, to, granularity);
  const barOf = new Map(bars.flatMap((bar) => datesFrom(bar.from, bar.to).map((date) => [date, bar])));
  const hours = new Map<number, HourSums>();
  const ofAll = noBooks();

  const isWithin = (ms: number) => fromMs <= ms && ms < untilMs;

  const booksOf = (ms: number) => {
    const bar = barOf.get(within(dateAt(ms, timeZone, dayStartHour), query));
    return bar ? [bar.books, ofAll] : [];
  };

  const addDay = (day: number, taken: Moved) => {
    const date = within(isoDate(day * DAY_MS), query);
    const bar = barOf.get(date);
    if (!bar) throw new Error(`${date} is no day from ${from} to ${to}`);
    for (const sums of [all, bar.sums, sumsIn(days, date)]) add(sums, taken);
    for (const ofServices of [bar.services, services]) add(sumsIn(ofServices, taken.serviceCategory), taken);
    enter([bar.books, ofAll], 'tips', taken);
  };

  return {
    addHours(summed: SummedHours): void {
      for (const [hour, sums] of summed.hours) addHour(hours, hour, sums);
      for (const [day, ofServices] of summed.days)
        for (const [serviceCategory, sums] of ofServices) addDay(day, { serviceCategory, ...sums });
      largestNetCents = Math.max(largestNetCents, summed.largestNetCents);
    },

    /** Changes may be of any time, of received or given tips; what does not belong to the period is left out. */
    addChange(change: BookChange): void {
      const { direction, createdAtMs, tipCreatedAtMs } = change;
      if (direction === 'sent' || (serviceCategory ?? change.serviceCategory) !== change.serviceCategory)
        return;
      if (isWithin(createdAtMs)) enter(booksOf(createdAtMs), 'changes', changed(change, 1));
      // Less its changes, whenever they were made, a tip is as it was given.
      if (isWithin(tipCreatedAtMs)) enter(booksOf(tipCreatedAtMs), 'tips', changed(change, -1));
    },

    shown: () => ({
      from,
      to,
      dayStartHour,
      ...all,
      averageNetCents: all.count === 0 ? 0 : Math.round(all.netCents / all.count),
      largestNetCents,
      bestDay: bestOf(days),
      bars: bars.map((bar) => ({
        from: bar.from,
        to: bar.to,
        ...bar.sums,
        byService: listOf(bar.services),
        books: shownBooks(bar.books),
      })),
      byService: listOf(services),
      byHour: [...hours]
        .sort(([one], [other]) => one - other)
        .map(([hour, sums]) => ({
          weekday: Math.floor(hour / HOURS_OF_DAY) + 1,
          hour: (hour + dayStartHour) % HOURS_OF_DAY,
          ...sums,
        })),
      books: shownBooks(ofAll),
    }),
  };
}

const noSums = (): Sums => ({ count: 0, grossCents: 0, feeCents: 0, netCents: 0 });

function add(sums: Sums, { count, grossCents, netCents }: Omit<Moved, 'serviceCategory'>): void {
  sums.count += count;
  sums.grossCents += grossCents;
  sums.feeCents += grossCents - netCents;
  sums.netCents += netCents;
}

function addHour(hours: Map<number, HourSums>, hour: number, { count, netCents }: HourSums): void {
  const sums = hours.get(hour) ?? { count: 0, netCents: 0 };
  hours.set(hour, sums);
  sums.count += count;
  sums.netCents += netCents;
}

interface BookSums {
  readonly tips: Sums;
  readonly changes: Sums;
}

interface PeriodBooks extends BookSums {
  readonly services: Map<ServiceCategory, BookSums>;
}

const noBookSums = (): BookSums => ({ tips: noSums(), changes: noSums() });
const noBooks = (): PeriodBooks => ({ ...noBookSums(), services: new Map() });

type Moved = Pick<HourlyEarnings, 'serviceCategory'> & {
  readonly [Name in 'count' | 'grossCents' | 'netCents']: number;
};

/** With -1, adds to the sums of tips as they were given, in which a reversed tip counts again. */
function changed({ kind, serviceCategory, amountCents, netAmountCents }: BookChange, sign: 1 | -1): Moved {
  return {
    serviceCategory,
    count: sign === 1 || kind === 'reversal' ? 1 : 0,
    grossCents: sign * amountCents,
    netCents: sign * netAmountCents,
  };
}

function enter(books: readonly PeriodBooks[], side: keyof BookSums, moved: Moved): void {
  for (const each of books) {
    const ofService = each.services.get(moved.serviceCategory) ?? noBookSums();
    each.services.set(moved.serviceCategory, ofService);
    for (const sums of [each[side], ofService[side]]) add(sums, moved);
  }
}

function shownBooks({ tips, changes, services }: PeriodBooks) {
  const byService = SERVICE_CATEGORIES.flatMap((serviceCategory) => {
    const sums = services.get(serviceCategory);
    const isEmpty = !sums || (sums.tips.count === 0 && sums.changes.count === 0);
    return isEmpty ? [] : [{ serviceCategory, ...sums }];
  });
  return { tips, changes, byService };
}

function sumsIn<Key>(sums: Map<Key, Sums>, key: Key): Sums {
  const known = sums.get(key);
  if (known) return known;
  const made = noSums();
  sums.set(key, made);
  return made;
}

const listOf = (services: ReadonlyMap<ServiceCategory, Sums>) =>
  SERVICE_CATEGORIES.flatMap((serviceCategory) => {
    const sums = services.get(serviceCategory);
    return sums ? [{ serviceCategory, ...sums }] : [];
  });

/** Null where nothing is left of what was received. */
function bestOf(days: ReadonlyMap<string, Sums>) {
  let best: ({ readonly date: string } & Sums) | null = null;
  for (const [date, sums] of [...days].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (sums.netCents > (best?.netCents ?? 0)) best = { date, ...sums };
  }
  return best;
}

function barsOf(from: string, to: string, granularity: Granularity) {
  const bars = [];
  for (let start = from; start <= to; ) {
    const last = lastDateOf(start, granularity);
    const end = last < to ? last : to;
    bars.push({
      from: start,
      to: end,
      sums: noSums(),
      services: new Map<ServiceCategory, Sums>(),
      books: noBooks(),
    });
    start = dateAfter(end, 1);
  }
  return bars;
}

/** Clamps a date to the period: clocks that are set back after a day began repeat the date before. */
function within(date: string, { from, to }: Dates): string {
  if (date < from) return from;
  return date > to ? to : date;
}

function datesFrom(from: string, to: string): string[] {
  const dates = [];
  for (let date = from; date <= to; date = dateAfter(date, 1)) dates.push(date);
  return dates;
}
