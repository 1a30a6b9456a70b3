/**
 * The clock as a value that is passed in, and what "today" means in somebody's time zone.
 */

/** The current time in milliseconds since the Unix epoch. */
export type Clock = () => number;

/** From the first millisecond of a day up to, but not including, the first of the next. */
export interface Day {
  readonly startMs: number;
  readonly endMs: number;
}

/** Longer than any calendar day with a clock change in it. */
const LONGEST_DAY_MS = 30 * 3_600_000;

/** In characters; twice as long as any name that there is (https://www.iana.org/time-zones). */
export const MAX_TIME_ZONE_LENGTH = 64;

const ISO_DATE_LENGTH = 'YYYY-MM-DD'.length;

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 86_400_000;
const LONGEST_STRETCH_MS = 4 * WEEK_MS;

/** How a name of the tz database is written, whose letters know no case (https://data.iana.org/time-zones/theory.html); no offset. */
const NAME = /^[a-z][a-z0-9_+/-]*$/i;

/** A time zone, and by the hour of their start the days in it that were asked for last: mostly those that are asked for next. */
interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly days: Map<number, Day>;
}

/**
 * Time zones by their names in lower case. All of them are kept: there are some six hundred, of some thirty kilobytes each outside
 * the heap, where the memory of a format that was dropped stays taken until a collection that nothing there brings about.
 */
const zones = new Map<string, Zone>();

/** Whether the text is a name of the tz database that this platform knows, such as `Europe/Vienna`; an offset is none. */
export function isTimeZone(name: string): boolean {
  if (name.length > MAX_TIME_ZONE_LENGTH) return false;
  try {
    zoneOf(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * The day that contains `now` in the given time zone, days with a clock change included.
 * @param startHour the hour of the clock at which a day begins, 0 to 23; 0 for calendar days. Where the clocks leave that hour out,
 * the day begins with the next hour; where they repeat it, with the first of the two.
 * @throws RangeError when the time zone is unknown.
 */
export function dayAround(now: number, timeZone: string, startHour = 0): Day {
  const { format, days } = zoneOf(timeZone);
  const known = days.get(startHour);
  if (known && known.startMs <= now && now < known.endMs) return known;
  const day = findDay(now, format, startHour);
  days.set(startHour, day);
  return day;
}

function findDay(now: number, format: Intl.DateTimeFormat, startHour: number): Day {
  const local = localMs(now, format);
  const startsOn = (date: string) => Date.parse(date) + startHour * HOUR_MS;
  const today = isoDate(local);
  const hasBegun = local >= startsOn(today);
  const start = startsOn(hasBegun ? today : dateAfter(today, -1));
  const end = startsOn(hasBegun ? dateAfter(today, 1) : today);
  return {
    startMs: firstWhere(now - LONGEST_DAY_MS, now, (time) => localMs(time, format) >= start),
    endMs: firstWhere(now, now + LONGEST_DAY_MS, (time) => localMs(time, format) >= end),
  };
}

/** The calendar's date in the given time zone, as `2026-05-31`. @throws RangeError when the time zone is unknown. */
export function dateAt(ms: number, timeZone: string): string {
  return isoDate(localMs(ms, zoneOf(timeZone).format));
}

/** A moment as a calendar and a clock in some time zone show it. */
export interface LocalTime {
  /** As `2026-05-31`. */
  readonly date: string;
  /** To the second, as `18:05:00`. */
  readonly time: string;
  /** By how much local time is ahead of UTC, as `+05:45`. */
  readonly offset: string;
}

/** @throws RangeError when the time zone is unknown. */
export function localTime(ms: number, timeZone: string): LocalTime {
  const local = localMs(ms, zoneOf(timeZone).format);
  const offsetMinutes = Math.round((local - ms) / 60_000);
  const minutes = Math.abs(offsetMinutes);
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return {
    date: isoDate(local),
    time: new Date(local).toISOString().slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM:SS'.length),
    offset: `${offsetMinutes < 0 ? '-' : '+'}${digits.join(':')}`,
  };
}

/**
 * The first millisecond of a date in the given time zone. Where the clocks leave a whole day out, it is that of the next.
 * @throws RangeError when the time zone is unknown.
 */
export function firstOfDate(date: string, timeZone: string): number {
  const { format } = zoneOf(timeZone);
  const start = Date.parse(date);
  return firstWhere(start - LONGEST_DAY_MS, start + LONGEST_DAY_MS, (time) => localMs(time, format) >= start);
}

/** A stretch of time in which local time is ahead of UTC by one offset, which is negative west of Greenwich. */
export interface SteadyStretch {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly offsetMs: number;
}

/**
 * The time between two moments in stretches of four weeks at most, within each of which the clocks of a time zone do not change.
 * @param fromMs and `untilMs` are full minutes.
 * @throws RangeError when the time zone is unknown.
 */
export function* steadyStretches(
  fromMs: number,
  untilMs: number,
  timeZone: string,
): Generator<SteadyStretch, void> {
  const { format } = zoneOf(timeZone);
  let offsetMs = offsetAt(fromMs, format);
  for (let start = fromMs; start < untilMs; ) {
    const isOther = (time: number) => offsetAt(time, format) !== offsetMs;
    const longest = Math.min(start + LONGEST_STRETCH_MS, untilMs);
    let end = start;
    let hasChanged = false;
    while (end < longest && !hasChanged) {
      const next = Math.min(end + WEEK_MS, longest);
      hasChanged = isOther(next);
      end = hasChanged ? firstWhere(end, next, isOther) : next;
    }
    yield { fromMs: start, untilMs: end, offsetMs };
    if (hasChanged) offsetMs = offsetAt(end, format);
    start = end;
  }
}

/** By how much local time is ahead of UTC: a multiple of a quarter of an hour in all time zones since 1972. */
function offsetAt(ms: number, format: Intl.DateTimeFormat): number {
  const full = Math.floor(ms / 1_000) * 1_000;
  return localMs(full, format) - full;
}

/**
 * What the calendar and the clock show to the second, as the milliseconds at which they show it in UTC. It is made of the parts of a
 * date, because the text that a locale makes of them differs between versions of ICU, and so between browsers.
 */
function localMs(ms: number, format: Intl.DateTimeFormat): number {
  const shown: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of format.formatToParts(ms)) shown[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function isoDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, ISO_DATE_LENGTH);
}

/** The date that many days later. */
export function dateAfter(date: string, days: number): string {
  return isoDate(Date.parse(date) + days * 86_400_000);
}

/** The first millisecond after `before` and up to `until` at which `holds`, given that it then goes on holding. */
function firstWhere(before: number, until: number, holds: (time: number) => boolean): number {
  let [low, high] = [before, until];
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** @throws RangeError when the time zone is unknown. */
function zoneOf(name: string): Zone {
  if (!NAME.test(name)) throw new RangeError(`no name of a time zone: ${name}`);
  const key = name.toLowerCase();
  const known = zones.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  // All names of one zone come to one, which is not always the one that people know: Asia/Katmandu.
  const spelling = format.resolvedOptions().timeZone.toLowerCase();
  const zone = zones.get(spelling) ?? { format, days: new Map<number, Day>() };
  zones.set(spelling, zone).set(key, zone);
  return zone;
}
