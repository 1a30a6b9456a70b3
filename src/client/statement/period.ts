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
  /** The hour at which its days begin. */
  readonly dayStartHour: number;
}

const DAY_START = 'day_start_hour';

/**
 * The statement of the days that the address names, else of the last month. A period without its end ends today, one
 * without its beginning starts with the year of its end. Days that are named without an hour begin at midnight, because
 * what an account calls a day may change, and a bookmark stays the same statement.
 */
export function statementIn(
  search: string,
  today: string,
  { isServiceProvider, dayStartHour }: Pick<User, 'isServiceProvider' | 'dayStartHour'>,
): StatementQuery {
  const { direction, serviceCategory, from, to } = filterFromAddress(search, today);
  const own = direction ?? (isServiceProvider ? 'received' : 'sent');
  const isNamed = from !== null || to !== null;
  const hour = new URLSearchParams(search).get(DAY_START) ?? '';
  const dates = isNamed
    ? { from: from ?? `${(to ?? today).slice(0, 'YYYY'.length)}-01-01`, to: to ?? today }
    : periodDates('last-month', today);
  return {
    direction: own,
    serviceCategory,
    ...dates,
    dayStartHour: /^(?:1?\d|2[0-3])$/.test(hour) ? Number(hour) : isNamed ? 0 : (dayStartHour ?? 0),
  };
}

/** The address of a statement. It names the days, so that a bookmark stays the same statement. */
export function statementAt(query: StatementQuery): string {
  const address = addressOf({ ...NO_FILTER, ...query });
  if (query.dayStartHour > 0) address.set(DAY_START, String(query.dayStartHour));
  return `${paths.statement}?${address}`;
}

/** What a file of the statement is asked for by; without an hour it would have the account's days. */
export function fileOf(query: StatementQuery): URLSearchParams {
  const asked = addressOf({ ...NO_FILTER, ...query });
  asked.set(DAY_START, String(query.dayStartHour));
  return asked;
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
