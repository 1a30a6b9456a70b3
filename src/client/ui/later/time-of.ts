/** The time of a moment, with its date where that is not today's. */
import { PAGE_LANGUAGE } from '#shared/language.ts';

export function timeOf(moment: Date, now = new Date()): string {
  const isToday = moment.toDateString() === now.toDateString();
  return moment.toLocaleString(PAGE_LANGUAGE, {
    timeStyle: 'short',
    dateStyle: isToday ? undefined : 'medium',
  });
}

/** The same after a verb: "at 3:12 PM". @param iso ISO 8601 */
export function atTime(iso: string, now = new Date()): string {
  const moment = new Date(iso);
  return `${moment.toDateString() === now.toDateString() ? 'at' : 'on'} ${timeOf(moment, now)}`;
}
