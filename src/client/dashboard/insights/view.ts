/** The address names the view of the Insights tab, so that Back, a reload and a shared link keep it. */
import { dateAfter, lastDateOf, lastOfMonth } from '#shared/calendar.ts';
import { isServiceCategory, type ServiceCategory } from '#shared/categories.ts';
import type { Granularity } from '#shared/records.ts';
import { dashboardTab } from '../../later/addresses.ts';

export interface InsightsView {
  readonly granularity: Granularity;
  readonly from: string;
  readonly to: string;
  /** Whether no later period has begun. */
  readonly isLatest: boolean;
  readonly serviceCategory: ServiceCategory | null;
}

export const BARS = {
  day: { label: 'Day', count: 30, period: '30 days' },
  week: { label: 'Week', count: 12, period: '12 weeks' },
  month: { label: 'Month', count: 12, period: '12 months' },
} as const satisfies Readonly<Record<Granularity, unknown>>;

/** No earnings are older; an address with an earlier date shows the present. */
const FIRST_DATE = '2000-01-01';

/** The defaults are bars of days, the latest period and all services. @param today in the viewer's time zone. */
export function viewIn(query: URLSearchParams, today: string): InsightsView {
  const granularity = granularityNamed(query.get('granularity'));
  const service = query.get('service_category');
  const latest = lastDateOf(today, granularity);
  const to = query.get('to') ?? '';
  const last = isDate(to) && to >= FIRST_DATE && to < latest ? lastDateOf(to, granularity) : latest;
  return {
    granularity,
    from: dateAfter(movedBy(last, granularity, -1), 1),
    to: last,
    isLatest: last === latest,
    serviceCategory: isServiceCategory(service) ? service : null,
  };
}

/** The address of the latest period has no date, so that it goes on meaning the present. */
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

export function addressBeside(view: InsightsView, direction: -1 | 1, today: string): string {
  const to = movedBy(view.to, view.granularity, direction);
  return addressOf({ ...view, to, isLatest: to >= lastDateOf(today, view.granularity) });
}

function granularityNamed(name: string | null): Granularity {
  return name === 'week' || name === 'month' ? name : 'day';
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && dateAfter(text, 0) === text;
}

/** The last day of the period that comes `periods` after the one that ends on `last`. */
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
