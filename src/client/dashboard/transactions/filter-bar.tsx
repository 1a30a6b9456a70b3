/** The head of the Transactions tab: the filter of the list, and the sums of the tips in it. */
import { Link } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { dashboardTab } from '../../later/addresses.ts';
import { paths } from '../../paths.ts';
import { addressOf, isOutOfOrder, isUnfiltered, type TipFilter } from '../../signed-in/later/tip-filter.ts';
import { focusPanel } from '../shared/fetched.tsx';
import styles from './filter-bar.module.css';
import { DIRECTIONS, FilterChips } from './filter-chips.tsx';
import { Sums } from './sums.tsx';

/** A link that clears the filters goes with them. */
export const clearingLink = { href: dashboardTab('transactions'), onClick: focusPanel };

interface FilterBarProps {
  readonly user: User;
  readonly filter: TipFilter;
  readonly isReceiver: boolean;
  readonly services: readonly ServiceCategory[];
}

export function FilterBar({ user, filter, isReceiver, services }: FilterBarProps) {
  const description = describe(filter);
  const statement = addressOf({ ...filter, period: null });
  // The statement of the same days, where they do not begin at midnight.
  if (user.dayStartHour) statement.set('day_start_hour', String(user.dayStartHour));
  return (
    <section className={styles.bar} aria-label="Filter">
      <FilterChips filter={filter} isReceiver={isReceiver} services={services} />
      <div className={styles.result}>
        <Sums user={user} filter={filter} />
        {!isOutOfOrder(filter) && (
          <Link
            className={styles.link}
            href={statement.size === 0 ? paths.statement : `${paths.statement}?${statement}`}
          >
            Statement
          </Link>
        )}
      </div>
      {!isUnfiltered(filter) && (
        <p className={styles.description}>
          {description !== '' && <span>{description}</span>}
          <Link className={styles.link} {...clearingLink}>
            Clear filters
          </Link>
        </p>
      )}
    </section>
  );
}

const dayFormat = new Intl.DateTimeFormat(PAGE_LANGUAGE, { dateStyle: 'medium', timeZone: 'UTC' });

function describe({ direction, serviceCategory, from, to }: TipFilter): string {
  return [
    direction && DIRECTIONS[direction],
    serviceCategory && CATEGORY_LABELS[serviceCategory],
    describeDates(from, to),
  ]
    .filter(Boolean)
    .join(' · ');
}

function describeDates(from: string | null, to: string | null): string | null {
  // Dates of the calendar are read and written in UTC, so that they are the same everywhere.
  const [first, last] = [from, to].map((date) => (date === null ? null : new Date(date)));
  if (first && last) return first > last ? null : dayFormat.formatRange(first, last);
  if (first) return `From ${dayFormat.format(first)}`;
  return last ? `Up to ${dayFormat.format(last)}` : null;
}
