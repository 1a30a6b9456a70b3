/** Which period and which tips a statement is about, as its address says. */
import type { User } from '#shared/accounts.ts';
import { dateAfter } from '#shared/calendar.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import type { TipDirection } from '#shared/records.ts';
import { paths } from '../paths.ts';
import {
  addressOf,
  filterFromAddress,
  NO_FILTER,
  type PeriodDates,
  periodDates,
} from '../signed-in/later/tip-filter.ts';

/** A statement is about money that came in or about money that went out, never about both. */
export interface StatementQuery extends PeriodDates {
  readonly direction: TipDirection;
  readonly serviceCategory: ServiceCategory | null;
}

/**
 * The statement that an address asks for: of the last month unless it names days. A period that is open at
 * one end ends today, or begins with the year of its end.
 * @param today a date such as `2026-05-31`.
 */
export function statementIn(
  search: string,
  today: string,
  { isServiceProvider }: Pick<User, 'isServiceProvider'>,
): StatementQuery {
  const { direction, serviceCategory, from, to } = filterFromAddress(search, today);
  const own = direction ?? (isServiceProvider ? 'received' : 'sent');
  const dates =
    from === null && to === null
      ? periodDates('last-month', today)
      : { from: from ?? `${(to ?? today).slice(0, 'YYYY'.length)}-01-01`, to: to ?? today };
  return { direction: own, serviceCategory, ...dates };
}

/** The address of a statement. It names the days, so that a kept link stays the same statement. */
export function statementAt(query: StatementQuery): string {
  return `${paths.statement}?${addressOf({ ...NO_FILTER, ...query })}`;
}

/** The periods that are offered by name. */
export function offeredPeriods(today: string): readonly (PeriodDates & { readonly label: string })[] {
  const year = Number(today.slice(0, 'YYYY'.length));
  const yearOf = (number: number) => ({ from: `${number}-01-01`, to: `${number}-12-31` });
  return [
    { label: 'This month', ...periodDates('this-month', today) },
    { label: 'Last month', ...periodDates('last-month', today) },
    { label: 'This year', ...yearOf(year) },
    { label: 'Last year', ...yearOf(year - 1) },
  ];
}

/** How many days a period has, its first and its last included. */
export function daysIn({ from, to }: PeriodDates): number {
  return Math.round((Date.parse(dateAfter(to, 1)) - Date.parse(from)) / 86_400_000);
}
