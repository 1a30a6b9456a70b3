/** Where the browser is in time: apart from the filter of tips, which a first visit does not need. */
import { dateAt } from '#shared/calendar.ts';

/** The time zone of the browser, an IANA name. */
export function timeZoneHere(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The present date in the time zone of the browser. */
export function todayHere(): string {
  const now = new Date();
  return dateAt(now.getTime(), timeZoneHere());
}
