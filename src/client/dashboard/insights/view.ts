/**
 * What the Insights tab shows: the length of its bars, the period, and perhaps one service. All of it stands in the address, so that
 * Back, a reload and a shared link keep it.
 */
import { dateAfter } from '#shared/calendar.ts';
import { isServiceCategory, type ServiceCategory } from '#shared/categories.ts';
import type { Granularity } from '#shared/records.ts';
import { dashboardTab } from '../../paths.ts';

export interface InsightsView {
  readonly granularity: Granularity;
  /** The first day, such as `2026-05-31`. */
  readonly from: string;
  /** The last day, which is included. */
  readonly to: string;
  /** Whether no later period has begun. */
  readonly isLatest: boolean;
  /** Null for all services. */
  readonly serviceCategory: ServiceCategory | null;
}

/** The choices of bars, with the number of them in a period. */
export const BARS = {
  day: { label: 'Day', count: 30, period: '30 days' },
  week: { label: 'Week', count: 12, period: '12 weeks' },
  month: { label: 'Month', count: 12, period: '12 months' },
} as const satisfies Readonly<Record<Granularity, unknown>>;

/** No takings are older; an address with an earlier date shows the present. */
const FIRST_DATE = '2000-01-01';

/**
 * The view that the query of an address names. What it leaves out or misspells is the default: days, up to the present, of all services.
 * @param today the date in the viewer's time zone.
 */
export function viewIn(query: URLSearchParams, today: string): InsightsView {
  const granularity = granularityNamed(query.get('granularity'));
  const service = query.get('service_category');
  const latest = lastDayOf(today, granularity);
  const to = query.get('to') ?? '';
  const last = isDate(to) && to >= FIRST_DATE && to < latest ? lastDayOf(to, granularity) : latest;
  return {
    granularity,
    from: dateAfter(movedBy(last, granularity, -1), 1),
    to: last,
    isLatest: last === latest,
    serviceCategory: isServiceCategory(service) ? service : null,
  };
}

/** The address of a view. The latest period has no date in it, so that the address goes on meaning the present. */
export function addressOf({
  granularity,
  to,
  isLatest,
  serviceCategory,
}: Omit<InsightsView, 'from'>): string {
  const query = new URLSearchParams({
    ...(granularity !== 'day' && { granularity }),
    ...(!isLatest && { to }),
    ...(serviceCategory !== null && { service_category: serviceCategory }),
  });
  return query.size === 0 ? dashboardTab('insights') : `${dashboardTab('insights')}&${query}`;
}

/** The address of the period before or after that of the view. */
export function addressBeside(view: InsightsView, direction: -1 | 1, today: string): string {
  const to = movedBy(view.to, view.granularity, direction);
  return addressOf({ ...view, to, isLatest: to >= lastDayOf(today, view.granularity) });
}

function granularityNamed(name: string | null): Granularity {
  return name === 'week' || name === 'month' ? name : 'day';
}

/** Whether the text is a date of the calendar, such as `2026-05-31`. */
function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && dateAfter(text, 0) === text;
}

/** The last day of the bar that a date lies in. Weeks end on Sunday (ISO 8601). */
function lastDayOf(date: string, granularity: Granularity): string {
  switch (granularity) {
    case 'day':
      return date;
    case 'week':
      return dateAfter(date, (7 - new Date(date).getUTCDay()) % 7);
    case 'month':
      return lastOfMonth(date, 0);
  }
}

/** The last day of the period that ends so many periods later than the one that ends on `last`. */
function movedBy(last: string, granularity: Granularity, periods: number): string {
  const bars = BARS[granularity].count * periods;
  switch (granularity) {
    case 'day':
      return dateAfter(last, bars);
    case 'week':
      return dateAfter(last, bars * 7);
    case 'month':
      return lastOfMonth(last, bars);
  }
}

/** The last day of the month that comes so many months after that of a date. */
function lastOfMonth(date: string, months: number): string {
  const day = new Date(date);
  const last = Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + months + 1, 0);
  return new Date(last).toISOString().slice(0, date.length);
}
