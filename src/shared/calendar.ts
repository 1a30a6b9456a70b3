/** The clock as a passed-in value, and local days in a time zone. */

/** The current time in milliseconds since the Unix epoch. */
export type Clock = () => number;

/** A time as it is answered: ISO 8601 in UTC. */
export function isoTime(ms: number): string;
export function isoTime(ms: number | null): string | null;
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** Whether less than a length has gone by since. A time that lies ahead is of before the clock was turned back. */
export function isWithin(lengthMs: number, sinceMs: number, nowMs: number): boolean {
  return sinceMs <= nowMs && nowMs < sinceMs + lengthMs;
}

/**
 * As `isWithin` for a time that another process has noted, whose clock may be a little ahead. A time that lies further
 * ahead is of before the clock was turned back.
 */
export function isNear(lengthMs: number, notedMs: number, nowMs: number): boolean {
  return Math.abs(nowMs - notedMs) < lengthMs;
}

/** Includes `startMs`, excludes `endMs`. */
export interface Day {
  readonly startMs: number;
  readonly endMs: number;
}

/** Longer than any calendar day with a clock change. */
const LONGEST_DAY_MS = 30 * 3_600_000;

/** UTF-16 units; twice the longest name (https://www.iana.org/time-zones). */
export const MAX_TIME_ZONE_LENGTH = 64;

/** The longest time that clocks show twice: Antarctica/Troll sets them back by two hours. */
const LONGEST_REPEATED_MS = 2 * 3_600_000;

const ISO_DATE_LENGTH = 'YYYY-MM-DD'.length;

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const LONGEST_STRETCH_MS = 4 * WEEK_MS;

/** A case-insensitive name of the tz database (https://data.iana.org/time-zones/theory.html), no offset. */
const NAME = /^[a-z][a-z0-9_+/-]*$/i;

/** With the last day that was asked for, by start hour: mostly the next request is for the same day. */
interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly days: Map<number, Day>;
}

/**
 * Time zones by lower-case name. All are kept: there are some 600 with 30 KB each outside the heap, where a
 * dropped format's memory is freed only by a collection that nothing outside the heap triggers.
 */
const zones = new Map<string, Zone>();

/** Whether this platform knows the name in the tz database, such as `Europe/Vienna`; offsets are refused. */
export function isTimeZone(name: string): boolean {
  if (name.length > MAX_TIME_ZONE_LENGTH) return false;
  try {
    zoneOf(name);
    return true;
  } catch {
    return false;
  }
}

/** UTC for a name that was accepted elsewhere, such as before a move to a platform with older time zones. */
export function knownTimeZone(name: string): string {
  return isTimeZone(name) ? name : 'UTC';
}

/**
 * The day that contains `now` in a time zone, also across a clock change.
 * @param startHour the hour at which days begin, 0 to 23; 0 for calendar days. Where clocks skip it, the day
 *   begins with the next hour; where they repeat it, with the first of the two.
 * @throws RangeError for an unknown time zone.
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
  const date = findDate(now, format, startHour);
  const [start, end] = [date, dateAfter(date, 1)].map((day) => Date.parse(day) + startHour * HOUR_MS);
  return { startMs: firstAt(start ?? now, format), endMs: firstAt(end ?? now, format) };
}

/** The local date of the day that contains `ms`, as `2026-05-31`. @throws RangeError for an unknown time zone. */
export function dateAt(ms: number, timeZone: string, startHour = 0): string {
  return findDate(ms, zoneOf(timeZone).format, startHour);
}

function findDate(ms: number, format: Intl.DateTimeFormat, startHour: number): string {
  const local = localMs(ms, format);
  const date = isoDate(local - startHour * HOUR_MS);
  const next = dateAfter(date, 1);
  const end = Date.parse(next) + startHour * HOUR_MS;
  // Clocks that are set back after a day began show the hours before its start once more.
  return end - local <= LONGEST_REPEATED_MS && firstAt(end, format) <= ms ? next : date;
}

export interface LocalTime {
  readonly date: string;
  readonly time: string;
  /** The offset from UTC, as `+05:45`. */
  readonly offset: string;
}

/** @throws RangeError for an unknown time zone. */
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
 * The first millisecond of a local day, or of the next one where clocks skip the whole day.
 * @throws RangeError for an unknown time zone.
 */
export function firstOfDate(date: string, timeZone: string, startHour = 0): number {
  return firstAt(Date.parse(date) + startHour * HOUR_MS, zoneOf(timeZone).format);
}

/** The first moment at which clocks show a time, or a later one where they skip it. */
function firstAt(local: number, format: Intl.DateTimeFormat): number {
  const [before, after] = [local - LONGEST_DAY_MS, local + LONGEST_DAY_MS];
  const shown = [before, after]
    .map((time) => local - offsetAt(time, format))
    .filter((time) => localMs(time, format) === local);
  if (shown.length > 0) return Math.min(...shown);
  return firstWhere(before, after, (time) => localMs(time, format) >= local);
}

/** A span of time with one UTC offset, negative west of Greenwich. */
export interface SteadyStretch {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly offsetMs: number;
}

/**
 * Splits a span into stretches without a clock change, of at most four weeks or little more. Where clocks are set back
 * to before the hour at which the present day began, the stretch goes on until they show that hour again.
 * @param fromMs a full minute, like `untilMs`.
 * @throws RangeError for an unknown time zone.
 */
export function* steadyStretches(
  fromMs: number,
  untilMs: number,
  timeZone: string,
  startHour = 0,
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
    const nextOffsetMs = hasChanged ? offsetAt(end, format) : offsetMs;
    if (hasChanged) {
      const startMs = startHour * HOUR_MS;
      const dayBegan = Math.floor((end - 1 + offsetMs - startMs) / DAY_MS) * DAY_MS + startMs;
      end = Math.max(end, Math.min(dayBegan - nextOffsetMs, untilMs));
    }
    yield { fromMs: start, untilMs: end, offsetMs };
    offsetMs = nextOffsetMs;
    start = end;
  }
}

/** The UTC offset, a multiple of 15 minutes in all time zones since 1972. */
function offsetAt(ms: number, format: Intl.DateTimeFormat): number {
  const full = Math.floor(ms / 1_000) * 1_000;
  return localMs(full, format) - full;
}

/** The local clock as the UTC time that shows the same. Read from parts, because ICU's versions write other texts. */
function localMs(ms: number, format: Intl.DateTimeFormat): number {
  const shown: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of format.formatToParts(ms)) shown[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The date of a time in UTC, as `2026-05-31`. */
export function isoDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, ISO_DATE_LENGTH);
}

export function dateAfter(date: string, days: number): string {
  return isoDate(Date.parse(date) + days * DAY_MS);
}

/** The number of days of a period, the first and the last one included; not a number without both dates. */
export function daysIn({ from, to }: { readonly from: string; readonly to: string }): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

/** The last date of the day, week or month that contains a date. Weeks end on Sunday (ISO 8601). */
export function lastDateOf(date: string, period: 'day' | 'week' | 'month'): string {
  switch (period) {
    case 'day':
      return date;
    case 'week':
      return dateAfter(date, (7 - new Date(date).getUTCDay()) % 7);
    case 'month':
      return lastOfMonth(date);
  }
}

/** The last date of the month that comes `months` after that of a date. */
export function lastOfMonth(date: string, months = 0): string {
  const day = new Date(date);
  return isoDate(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + months + 1, 0));
}

/** The month before that of a date, such as `2026-04`. */
export function monthBefore(date: string): string {
  return lastOfMonth(date, -1).slice(0, 'YYYY-MM'.length);
}

/** The last month that is over for everybody: days may begin hours after midnight, and it ends with its last day. */
export function settledMonth(nowMs: number, timeZone: string): string {
  return monthBefore(dateAt(nowMs - DAY_MS, timeZone));
}

/** Binary search for the first millisecond in (before, until] at which the monotonic `holds` is true. */
function firstWhere(before: number, until: number, holds: (time: number) => boolean): number {
  let [low, high] = [before, until];
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** @throws RangeError for an unknown time zone. */
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
  // Aliases share one zone, whose canonical name may be an old one: Asia/Katmandu.
  const spelling = format.resolvedOptions().timeZone.toLowerCase();
  const zone = zones.get(spelling) ?? { format, days: new Map<number, Day>() };
  zones.set(spelling, zone).set(key, zone);
  return zone;
}
