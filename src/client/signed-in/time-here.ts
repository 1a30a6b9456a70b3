/** The browser's time zone and date, apart from the filter of tips, which a first visit does not need. */
import { dateAt, knownTimeZone } from '#shared/calendar.ts';

/** An IANA name; UTC where the browser has none. */
export function timeZoneHere(): string {
  return knownTimeZone(Intl.DateTimeFormat().resolvedOptions().timeZone);
}

/** The date of the present day, where days begin at `startHour` (0 to 23). */
export function todayHere(startHour = 0): string {
  const now = new Date();
  return dateAt(now.getTime(), timeZoneHere(), startHour);
}

/** @param hour 0 to 23. @returns such as `midnight`, `5 AM` or `noon`. */
export function hourName(hour: number): string {
  if (hour === 0) return 'midnight';
  if (hour === 12) return 'noon';
  return hour < 12 ? `${hour} AM` : `${hour - 12} PM`;
}
