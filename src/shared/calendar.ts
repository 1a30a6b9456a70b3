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

const WEEK_MS = 7 * 86_400_000;
const LONGEST_STRETCH_MS = 4 * WEEK_MS;

/** How many time zones are kept; reading one anew costs half a millisecond. */
const MAX_ZONES = 100;

/** A time zone, and by the hour of their start the days in it that were asked for last: mostly those that are asked for next. */
interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** Writes "2026-05-15, 05:30:00". */
  readonly clock: Intl.DateTimeFormat;
  readonly days: Map<number, Day>;
}

/** Time zones by their names; the one that was read first stands in front. */
const zones = new Map<string, Zone>();

/** Whether the name is a time zone that this platform knows, such as `Europe/Vienna`. */
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
  const today = format.format(now).slice(0, ISO_DATE_LENGTH);
  const startsOn = (date: string) => `${date}, ${String(startHour).padStart(2, '0')}`;
  const hasBegun = format.format(now) >= startsOn(today);
  const start = startsOn(hasBegun ? today : dateAfter(today, -1));
  const end = startsOn(hasBegun ? dateAfter(today, 1) : today);
  return {
    startMs: firstWhere(now - LONGEST_DAY_MS, now, (time) => format.format(time) >= start),
    endMs: firstWhere(now, now + LONGEST_DAY_MS, (time) => format.format(time) >= end),
  };
}

/** The calendar's date in the given time zone, as `2026-05-31`. */
export function dateAt(ms: number, timeZone: string): string {
  return zoneOf(timeZone).format.format(ms).slice(0, ISO_DATE_LENGTH);
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
  const { clock } = zoneOf(timeZone);
  const [date = '', time = ''] = clock.format(ms).split(', ');
  const offsetMinutes = Math.round((Date.parse(`${date}T${time}Z`) - ms) / 60_000);
  const minutes = Math.abs(offsetMinutes);
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return { date, time, offset: `${offsetMinutes < 0 ? '-' : '+'}${digits.join(':')}` };
}

/**
 * The first millisecond of a date in the given time zone. Where the clocks leave a whole day out, it is that of the next.
 * @throws RangeError when the time zone is unknown.
 */
export function firstOfDate(date: string, timeZone: string): number {
  const { format } = zoneOf(timeZone);
  const near = Date.parse(date);
  const start = `${date}, 00`;
  return firstWhere(near - LONGEST_DAY_MS, near + LONGEST_DAY_MS, (time) => format.format(time) >= start);
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
  const { clock } = zoneOf(timeZone);
  for (let start = fromMs; start < untilMs; ) {
    const offsetMs = offsetAt(start, clock);
    const isSame = (time: number) => offsetAt(time, clock) === offsetMs;
    let end = start;
    while (end < untilMs && end < start + LONGEST_STRETCH_MS && isSame(end)) {
      const next = Math.min(end + WEEK_MS, untilMs);
      end = isSame(next - 1) ? next : firstWhere(end, next, (time) => !isSame(time));
    }
    yield { fromMs: start, untilMs: end, offsetMs };
    start = end;
  }
}

/** By how much local time is ahead of UTC: a multiple of a quarter of an hour in all time zones since 1972. */
function offsetAt(ms: number, clock: Intl.DateTimeFormat): number {
  const full = Math.floor(ms / 1_000) * 1_000;
  return Date.parse(`${clock.format(full).replace(', ', 'T')}Z`) - full;
}

/** The date that many days later. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, ISO_DATE_LENGTH);
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
  const known = zones.get(name);
  if (known) return known;
  const toTheHour = {
    timeZone: name,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
  } as const;
  const zone = {
    // Writes "2026-05-15, 05", which sorts as the hours follow each other.
    format: new Intl.DateTimeFormat('en-CA', toTheHour),
    clock: new Intl.DateTimeFormat('en-CA', { ...toTheHour, minute: '2-digit', second: '2-digit' }),
    days: new Map<number, Day>(),
  };
  const [oldest] = zones.keys();
  if (zones.size >= MAX_ZONES && oldest !== undefined) zones.delete(oldest);
  zones.set(name, zone);
  return zone;
}
