/** The browser's time zone and date, apart from the filter of tips, which a first visit does not need. */
import { dateAt, isTimeZone } from '#shared/calendar.ts';

/** An IANA name; UTC where the browser has none. */
export function timeZoneHere(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return isTimeZone(timeZone) ? timeZone : 'UTC';
}

export function todayHere(): string {
  const now = new Date();
  return dateAt(now.getTime(), timeZoneHere());
}
