/**
 * The clock as a value that is passed in, and what "today" means in somebody's time zone.
 */

/** The current time in milliseconds since the Unix epoch. */
export type Clock = () => number;

/** From the first millisecond of a calendar day up to, but not including, the first of the next. */
export interface Day {
  readonly startMs: number;
  readonly endMs: number;
}

/** Longer than any calendar day with a clock change in it. */
const LONGEST_DAY_MS = 30 * 3_600_000;

/** In characters; twice as long as any name that there is (https://www.iana.org/time-zones). */
export const MAX_TIME_ZONE_LENGTH = 64;

/** How many time zones are kept; reading one anew costs half a millisecond. */
const MAX_ZONES = 100;

/** A time zone, and the day in it that was asked for last: mostly the one that is asked for next. */
interface Zone {
  readonly format: Intl.DateTimeFormat;
  day: Day;
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
 * The calendar day that contains `now` in the given time zone, days with a clock change included.
 * @throws RangeError when the time zone is unknown.
 */
export function dayAround(now: number, timeZone: string): Day {
  const zone = zoneOf(timeZone);
  if (now < zone.day.startMs || zone.day.endMs <= now) zone.day = findDay(now, zone.format);
  return zone.day;
}

function findDay(now: number, format: Intl.DateTimeFormat): Day {
  const today = format.format(now);
  const isToday = (time: number) => format.format(time) === today;
  return {
    startMs: firstWhere(now - LONGEST_DAY_MS, now, isToday),
    endMs: firstWhere(now, now + LONGEST_DAY_MS, (time) => !isToday(time)),
  };
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
    format: new Intl.DateTimeFormat('en-CA', {
      timeZone: name,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    }),
    day: { startMs: 0, endMs: 0 },
  };
  const [oldest] = zones.keys();
  if (zones.size >= MAX_ZONES && oldest !== undefined) zones.delete(oldest);
  zones.set(name, zone);
  return zone;
}
