/**
 * Periods, hours and comparisons in words. Dates are those of the calendar, so that they are written as of UTC.
 */
import { type Cents, cents, formatUsd } from '#shared/money.ts';
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
const compactUsd = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  minimumFractionDigits: 0,
  maximumFractionDigits: 1,
});

function formatOf(parts: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(undefined, { ...parts, timeZone: 'UTC' });
}

/** A date with its weekday. */
export function dateInWords(date: string): string {
  return dayOfWeek.format(Date.parse(date));
}

/** A period from its first day to its last. */
export function periodInWords({ from, to }: Pick<Insights, 'from' | 'to'>, granularity: Granularity): string {
  const format = granularity === 'month' ? shortMonthOfYear : day;
  return format.formatRange(Date.parse(from), Date.parse(to));
}

/** The day, the week or the month that a bar stands for. */
export function barInWords({ from, to }: Pick<EarningsBar, 'from' | 'to'>, granularity: Granularity): string {
  switch (granularity) {
    case 'day':
      return dateInWords(from);
    case 'week':
      return day.formatRange(Date.parse(from), Date.parse(to));
    case 'month':
      return month.format(Date.parse(from));
  }
}

/** What stands below a bar. */
export function barLabel({ from }: Pick<EarningsBar, 'from'>, granularity: Granularity): string {
  return (granularity === 'month' ? shortMonth : dayOfYear).format(Date.parse(from));
}

/** @param weekday 1 for Monday to 7 for Sunday (ISO 8601). */
export function weekdayInWords(weekday: number, length: 'short' | 'long'): string {
  return (length === 'short' ? weekdayShort : weekdayLong).format(MONDAY + (weekday - 1) * 24 * HOUR_MS);
}

/** @param hour 0 to 24. */
export function hourInWords(hour: number): string {
  return hourOfDay.format(MONDAY + hour * HOUR_MS);
}

export function tipsInWords(count: number): string {
  return count === 1 ? '1 tip' : `${count.toLocaleString('en-US')} tips`;
}

/** An amount at the side of a chart, in as few characters as its place has: `$2.5K`. */
export function roundedUsd(amountCents: number): string {
  return compactUsd.format(amountCents / 100);
}

/** The share of a part in a whole that is not 0, in percent. */
export function shareInWords(part: number, whole: number): string {
  const percent = Math.round((100 * part) / whole);
  return percent === 0 && part > 0 ? 'under 1%' : `${percent}%`;
}

export interface Comparison {
  readonly direction: 'up' | 'down' | 'same' | 'unknown';
  readonly words: string;
}

/** The takings of a period beside those of the period before it, both net. */
export function compare(
  { netCents, before }: { readonly netCents: Cents; readonly before: { readonly netCents: Cents } },
  granularity: Granularity,
): Comparison {
  const period = `the ${BARS[granularity].period} before`;
  const difference = netCents - before.netCents;
  if (before.netCents === 0) return { direction: 'unknown', words: `No takings in ${period}` };
  if (difference === 0) return { direction: 'same', words: `As much as in ${period}` };
  const sum = formatUsd(cents(Math.abs(difference)));
  const share = shareInWords(Math.abs(difference), before.netCents);
  return difference > 0
    ? { direction: 'up', words: `${sum} more than in ${period} (up ${share})` }
    : { direction: 'down', words: `${sum} less than in ${period} (down ${share})` };
}
