/** The head of the Transactions tab: the filter of the list, and the sums of the tips in it. */
import { SlidersHorizontal } from 'lucide-react';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { dashboardTab, paths } from '../../paths.ts';
import { addressOf, isOutOfOrder, isUnfiltered, type TipFilter } from '../../signed-in/later/tip-filter.ts';
import { Button } from '../../ui/button.tsx';
import styles from './filter-bar.module.css';
import { FilterFields } from './filter-fields.tsx';
import { Sums } from './sums.tsx';

/** A link that clears the filters goes with them, so that the panel around it takes the focus. */
export const clearingLink = {
  href: dashboardTab('transactions'),
  onClick: () =>
    document.activeElement?.closest<HTMLElement>('[role="tabpanel"]')?.focus({ preventScroll: true }),
};

interface FilterBarProps {
  readonly user: User;
  readonly filter: TipFilter;
  /** Whether the account has received tips, or may. */
  readonly isReceiver: boolean;
}

export function FilterBar({ user, filter, isReceiver }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  const fieldsId = useId();
  const description = describe(filter);
  const statement = addressOf({ ...filter, period: null });
  return (
    <section className={styles.bar} aria-label="Filter">
      <div className={styles.head}>
        {/* Wide screens show the fields without a button. */}
        <Button
          look="quiet"
          className={styles.toggle}
          aria-expanded={isOpen}
          aria-controls={fieldsId}
          onClick={() => setOpen(!isOpen)}
        >
          <SlidersHorizontal aria-hidden /> Filter
        </Button>
        {!isOutOfOrder(filter) && (
          <Link
            className={styles.statement}
            href={statement.size === 0 ? paths.statement : `${paths.statement}?${statement}`}
          >
            Statement
          </Link>
        )}
      </div>
      <div id={fieldsId} className={styles.fields} data-open={isOpen}>
        <FilterFields user={user} filter={filter} isReceiver={isReceiver} />
      </div>
      <div className={styles.result}>
        {!isUnfiltered(filter) && (
          <p className={styles.description}>
            {description !== '' && <span>{description}</span>}
            <Link className={styles.clear} {...clearingLink}>
              Clear filters
            </Link>
          </p>
        )}
        <Sums user={user} filter={filter} />
      </div>
    </section>
  );
}

const DIRECTIONS = { received: 'Received', sent: 'Sent' } as const;
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

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
