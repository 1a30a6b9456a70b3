import { PAGE_LANGUAGE } from '#shared/language.ts';
import { formatHere } from '../signed-in/format-here.ts';

const date = new Intl.DateTimeFormat(PAGE_LANGUAGE, { dateStyle: 'medium', timeZone: 'UTC' });
const month = new Intl.DateTimeFormat(PAGE_LANGUAGE, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const weekday = new Intl.DateTimeFormat(PAGE_LANGUAGE, { weekday: 'short', timeZone: 'UTC' });
const moment = formatHere({ dateStyle: 'medium', timeStyle: 'short' });
const day = formatHere({ dateStyle: 'medium' });

export function showDate(iso: string): string {
  return date.format(new Date(iso));
}

export function showPeriod(from: string, to: string): string {
  return date.formatRange(new Date(from), new Date(to));
}

export function showMonth(iso: string): string {
  return month.format(new Date(iso));
}

export function showWeekday(iso: string): string {
  return weekday.format(new Date(iso));
}

export function showMoment(time: Date | string): string {
  return moment(new Date(time));
}

export function showDay(time: string): string {
  return day(new Date(time));
}
