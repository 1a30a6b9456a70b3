/** The filter of tips in an address. It names a period, so that a bookmark means the month in which it is opened. */
import { dateAfter, lastOfMonth } from '#shared/calendar.ts';
import { isServiceCategory, type ServiceCategory } from '#shared/categories.ts';
import type { TipDirection } from '#shared/records.ts';
import { timeZoneHere } from '../time-here.ts';

/** In the order of the screens. A week begins on Monday (ISO 8601). */
export const PERIOD_NAMES = ['today', 'this-week', 'this-month', 'last-month'] as const;
export type PeriodName = (typeof PERIOD_NAMES)[number];

/** Calendar dates such as `2026-05-31`, both included. */
export interface PeriodDates {
  readonly from: string;
  readonly to: string;
}

/** A null field does not narrow the tips. */
export interface TipFilter {
  readonly direction: TipDirection | null;
  readonly serviceCategory: ServiceCategory | null;
  /** Null for a period without a name; `from` and `to` hold the dates in both cases. */
  readonly period: PeriodName | null;
  readonly from: string | null;
  readonly to: string | null;
}

export const NO_FILTER: TipFilter = {
  direction: null,
  serviceCategory: null,
  period: null,
  from: null,
  to: null,
};

/** The server refuses dates before this one, and after the next. */
export const FIRST_DATE = '1971-01-01';
export const LAST_DATE = '9000-12-31';

/** The whole period that contains `today`, or the one before it, including future days. */
export function periodDates(name: PeriodName, today: string): PeriodDates {
  if (name === 'today') return { from: today, to: today };
  if (name === 'this-week') {
    const monday = dateAfter(today, -((new Date(today).getUTCDay() + 6) % 7));
    return { from: monday, to: dateAfter(monday, 6) };
  }
  const last = lastOfMonth(today, name === 'this-month' ? 0 : -1);
  return { from: `${last.slice(0, 'YYYY-MM'.length)}-01`, to: last };
}

/** Invalid values count as absent, and a named period wins over dates. @param today such as `2026-05-31`. */
export function filterFromAddress(search: string, today: string): TipFilter {
  const query = new URLSearchParams(search);
  const direction = query.get('direction');
  const category = query.get('service_category');
  const period = PERIOD_NAMES.find((name) => name === query.get('period')) ?? null;
  return {
    direction: direction === 'received' || direction === 'sent' ? direction : null,
    serviceCategory: isServiceCategory(category) ? category : null,
    period,
    ...(period === null
      ? { from: readDate(query.get('from')), to: readDate(query.get('to')) }
      : periodDates(period, today)),
  };
}

export function addressOf({ direction, serviceCategory, period, from, to }: TipFilter): URLSearchParams {
  return new URLSearchParams({
    ...(direction !== null && { direction }),
    ...(serviceCategory !== null && { service_category: serviceCategory }),
    ...(period === null ? { ...(from !== null && { from }), ...(to !== null && { to }) } : { period }),
  });
}

export function queryOf({ direction, serviceCategory, from, to }: TipFilter) {
  return {
    ...(direction !== null && { direction }),
    ...(serviceCategory !== null && { serviceCategory }),
    ...(from !== null && { from }),
    ...(to !== null && { to }),
    timeZone: timeZoneHere(),
  };
}

export function isUnfiltered(filter: TipFilter): boolean {
  return addressOf(filter).size === 0;
}

export function isOutOfOrder({ from, to }: TipFilter): boolean {
  return from !== null && to !== null && from > to;
}

/** Null for a text that is no date from `FIRST_DATE` to `LAST_DATE`. */
export function readDate(text: string | null): string | null {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text) || text < FIRST_DATE || text > LAST_DATE) return null;
  const time = Date.parse(text);
  // Date.parse takes February 31 for a day in March.
  return !Number.isNaN(time) && dateAfter(text, 0) === text ? text : null;
}
