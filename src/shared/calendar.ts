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

/** How many time zones are kept; reading one anew costs half a millisecond. */
const MAX_ZONES = 100;

/** A time zone, and by the hour of their start the days in it that were asked for last: mostly those that are asked for next. */
interface Zone {
  readonly format: Intl.DateTimeFormat;
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

/** The date that many days later. */
function dateAfter(date: string, days: number): string {
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
  const zone = {
    // Writes "2026-05-15, 05", which sorts as the hours follow each other.
    format: new Intl.DateTimeFormat('en-CA', {
      timeZone: name,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      hourCycle: 'h23',
    }),
    days: new Map<number, Day>(),
  };
  const [oldest] = zones.keys();
  if (zones.size >= MAX_ZONES && oldest !== undefined) zones.delete(oldest);
  zones.set(name, zone);
  return zone;
}
