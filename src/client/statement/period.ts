/** The period and the direction of a statement in its address. */
import type { User } from '#shared/accounts.ts';
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

/** A statement covers money received or money sent, never both. */
export interface StatementQuery extends PeriodDates {
  readonly direction: TipDirection;
  readonly serviceCategory: ServiceCategory | null;
}

/**
 * The statement of the days that the address names, else of the last month. A period without its end ends today, one
 * without its beginning starts with the year of its end.
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

/** The address of a statement. It names the days, so that a bookmark stays the same statement. */
export function statementAt(query: StatementQuery): string {
  return `${paths.statement}?${addressOf({ ...NO_FILTER, ...query })}`;
}

export function offeredPeriods(today: string): readonly (PeriodDates & { readonly label: string })[] {
  const year = Number(today.slice(0, 'YYYY'.length));
  const yearOf = (number: number) => ({ from: `${number}-01-01`, to: `${number}-12-31` });
  return [
    { label: 'This Month', ...periodDates('this-month', today) },
    { label: 'Last Month', ...periodDates('last-month', today) },
    { label: 'This Year', ...yearOf(year) },
    { label: 'Last Year', ...yearOf(year - 1) },
  ];
}
