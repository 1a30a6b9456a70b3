/**
 * Which tips of an account a screen shows, as it stands in the screen's address. A period keeps its name
 * there, so that a kept link to this month means the month in which it is opened.
 */
import { dateAfter } from '#shared/calendar.ts';
import { isServiceCategory, type ServiceCategory } from '#shared/categories.ts';
import type { TipDirection } from '#shared/records.ts';
import { timeZoneHere } from '../time-here.ts';

/** The periods with a name, in the order in which screens list them. A week begins on Monday (ISO 8601). */
export const PERIOD_NAMES = ['today', 'this-week', 'this-month', 'last-month'] as const;
export type PeriodName = (typeof PERIOD_NAMES)[number];

/** Dates of the calendar such as `2026-05-31`, both included. */
export interface PeriodDates {
  readonly from: string;
  readonly to: string;
}

/** What is null does not narrow the tips. */
export interface TipFilter {
  readonly direction: TipDirection | null;
  readonly serviceCategory: ServiceCategory | null;
  /** The period, if it has a name; its dates stand in `from` and `to` then. */
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

/** The first and the last date that the server takes. */
export const FIRST_DATE = '1971-01-01';
export const LAST_DATE = '9000-12-31';

/**
 * The dates of a period that contains `today`, or of the one before it. A period has all of its days, also
 * those to come.
 * @param today a date such as `2026-05-31`.
 */
export function periodDates(name: PeriodName, today: string): PeriodDates {
  if (name === 'today') return { from: today, to: today };
  if (name === 'this-week') {
    const monday = dateAfter(today, -((new Date(today).getUTCDay() + 6) % 7));
    return { from: monday, to: dateAfter(monday, 6) };
  }
  const first = `${today.slice(0, 'YYYY-MM'.length)}-01`;
  return monthOf(name === 'this-month' ? first : dateAfter(first, -1));
}

function monthOf(date: string): PeriodDates {
  const first = `${date.slice(0, 'YYYY-MM'.length)}-01`;
  // No month has 32 days, and none is so short that this leads past the next one.
  const next = `${dateAfter(first, 31).slice(0, 'YYYY-MM'.length)}-01`;
  return { from: first, to: dateAfter(next, -1) };
}

/**
 * The filter that an address names. What is no value of its parameter counts as left out; a period with a
 * name goes before dates.
 * @param search the query of the address.
 * @param today a date such as `2026-05-31`.
 */
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

/** The parameters of an address that name a filter; none for one that narrows nothing. */
export function addressOf({ direction, serviceCategory, period, from, to }: TipFilter): URLSearchParams {
  return new URLSearchParams({
    ...(direction !== null && { direction }),
    ...(serviceCategory !== null && { service_category: serviceCategory }),
    ...(period === null ? { ...(from !== null && { from }), ...(to !== null && { to }) } : { period }),
  });
}

/** The filter as the server's procedures take it, in the time zone of the browser. */
export function queryOf({ direction, serviceCategory, from, to }: TipFilter) {
  return {
    ...(direction !== null && { direction }),
    ...(serviceCategory !== null && { serviceCategory }),
    ...(from !== null && { from }),
    ...(to !== null && { to }),
    timeZone: timeZoneHere(),
  };
}

/** Whether the filter leaves no tips out. */
export function isUnfiltered(filter: TipFilter): boolean {
  return addressOf(filter).size === 0;
}

/** Whether the first day comes after the last, which the server refuses. */
export function isOutOfOrder({ from, to }: TipFilter): boolean {
  return from !== null && to !== null && from > to;
}

/** The text if it is a date of the calendar that the server takes, else null. */
export function readDate(text: string | null): string | null {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text) || text < FIRST_DATE || text > LAST_DATE) return null;
  const time = Date.parse(text);
  // Date.parse takes February 31 for a day in March.
  return !Number.isNaN(time) && dateAfter(text, 0) === text ? text : null;
}
