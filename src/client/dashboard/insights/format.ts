/** Formats periods, hours and sums. Dates of the calendar have no time zone, and are formatted in UTC. */
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { type Cents, cents, formatMoney } from '#shared/money.ts';
import type { EarningsBar, Granularity, Insights } from '#shared/records.ts';
import { BARS } from './view.ts';

const MONDAY = Date.parse('2024-01-01');
const HOUR_MS = 3_600_000;

const day = formatOf({ month: 'short', day: 'numeric', year: 'numeric' });
const dayOfWeek = formatOf({ weekday: 'short', month: 'short', day: 'numeric', year: 'numeric' });
const dayOfYear = formatOf({ month: 'short', day: 'numeric' });
const month = formatOf({ month: 'long', year: 'numeric' });
const shortMonth = formatOf({ month: 'short' });
const shortMonthOfYear = formatOf({ month: 'short', year: 'numeric' });
const weekdayLong = formatOf({ weekday: 'long' });
const weekdayShort = formatOf({ weekday: 'short' });
const hourOfDay = formatOf({ hour: 'numeric' });

function formatOf(parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(PAGE_LANGUAGE, { ...parts, timeZone: 'UTC' });
}

export function formatDate(date: string): string {
  return dayOfWeek.format(Date.parse(date));
}

export function formatPeriod({ from, to }: Pick<Insights, 'from' | 'to'>, granularity: Granularity): string {
  const format = granularity === 'month' ? shortMonthOfYear : day;
  return format.formatRange(Date.parse(from), Date.parse(to));
}

export function formatBar({ from, to }: Pick<EarningsBar, 'from' | 'to'>, granularity: Granularity): string {
  switch (granularity) {
    case 'day':
      return formatDate(from);
    case 'week':
      return day.formatRange(Date.parse(from), Date.parse(to));
    case 'month':
      return month.format(Date.parse(from));
  }
}

export function formatBarShort({ from }: Pick<EarningsBar, 'from'>, granularity: Granularity): string {
  return (granularity === 'month' ? shortMonth : dayOfYear).format(Date.parse(from));
}

/** @param weekday 1 for Monday to 7 for Sunday (ISO 8601). */
export function formatWeekday(weekday: number, length: 'short' | 'long'): string {
  return (length === 'short' ? weekdayShort : weekdayLong).format(MONDAY + (weekday - 1) * 24 * HOUR_MS);
}

/** @param hour 0 to 24. */
export function formatHour(hour: number): string {
  return hourOfDay.format(MONDAY + hour * HOUR_MS);
}

export function formatTipCount(count: number): string {
  return count === 1 ? '1 tip' : `${count.toLocaleString(PAGE_LANGUAGE)} tips`;
}

const ROUNDED = { notation: 'compact', maximumSignificantDigits: 2 } as const;

/** The side of a chart has room for few characters: `$2.5K`. Its few lines differ in the first two digits. */
export function formatRounded(amountCents: Cents): string {
  return formatMoney(amountCents, ROUNDED);
}

/** 0 where nothing is left of the whole, as of tips that a bank took back. */
export function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : (100 * part) / whole;
}

export function formatShare(part: number, whole: number): string {
  const percent = Math.round(percentOf(part, whole));
  return percent === 0 && part > 0 ? 'under 1%' : `${percent}%`;
}

export interface Comparison {
  readonly direction: 'up' | 'down' | 'same' | 'unknown';
  readonly sentence: string;
}

export function compare(
  { netCents, before }: Pick<Insights, 'netCents'> & { readonly before: Omit<Insights['before'], 'count'> },
  granularity: Granularity,
): Comparison {
  const period = `the ${lengthOf(before, granularity)} before`;
  const difference = netCents - before.netCents;
  if (before.netCents === 0) return { direction: 'unknown', sentence: `No earnings in ${period}` };
  if (difference === 0) return { direction: 'same', sentence: `The same as in ${period}` };
  const sum = formatMoney(cents(Math.abs(difference)));
  const share = formatShare(Math.abs(difference), before.netCents);
  return difference > 0
    ? { direction: 'up', sentence: `${sum} more than in ${period} (up ${share})` }
    : { direction: 'down', sentence: `${sum} less than in ${period} (down ${share})` };
}

/** Thirty days that are a whole month stand beside the month before, which has another number of days. */
function lengthOf({ from, to }: Pick<Insights, 'from' | 'to'>, granularity: Granularity): string {
  if (granularity !== 'day') return BARS[granularity].period;
  return `${Math.round((Date.parse(to) - Date.parse(from)) / (24 * HOUR_MS)) + 1} days`;
}
