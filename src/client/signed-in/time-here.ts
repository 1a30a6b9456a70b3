/** Where the browser is in time: apart from the filter of tips, which a first visit does not need. */
import { dateAt, isTimeZone } from '#shared/calendar.ts';

/** The time zone of the browser, an IANA name; UTC where the browser has no name for it. */
export function timeZoneHere(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return isTimeZone(timeZone) ? timeZone : 'UTC';
}

/** The present date in the time zone of the browser. */
export function todayHere(): string {
  const now = new Date();
  return dateAt(now.getTime(), timeZoneHere());
}
