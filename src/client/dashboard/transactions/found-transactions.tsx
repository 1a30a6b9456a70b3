/** The list of the transactions that a filter means. */
import { CalendarX2, SearchX } from 'lucide-react';
import type { User } from '#shared/accounts.ts';
import { allTransactions } from '../../signed-in/api-hooks.ts';
import { Empty } from '../../signed-in/empty.tsx';
import { isOutOfOrder, queryOf, type TipFilter } from '../../signed-in/later/tip-filter.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Problem } from '../../ui/states.tsx';
import { LOAD_FAILED, useListing } from '../shared/queries.ts';
import { clearingLink } from './clearing-link.ts';
import styles from './filter-bar.module.css';
import { TransactionList } from './transaction-list.tsx';
import { TransactionsSketch } from './transactions-sketch.tsx';

interface FoundTransactionsProps {
  readonly user: User;
  readonly filter: TipFilter;
}

export function FoundTransactions({ user, filter }: FoundTransactionsProps) {
  const { pages, listing } = useListing({ ...allTransactions, ...queryOf(filter) }, !isOutOfOrder(filter));
  if (isOutOfOrder(filter)) {
    return (
      <Empty icon={<CalendarX2 />} title="These dates are the wrong way round">
        <p>The last day must not be before the first. Change one of them, or clear the filters.</p>
        <Clear />
      </Empty>
    );
  }
  if (listing.status === 'loading') {
    return (
      <div aria-busy="true">
        <TransactionsSketch />
      </div>
    );
  }
  if (listing.status === 'failed') {
    return (
      <Problem title={LOAD_FAILED} onRetry={() => void pages.refetch()}>
        <p>Nothing is lost. Please try again in a moment.</p>
      </Problem>
    );
  }
  return (
    <div className={styles.found} aria-busy={pages.isPlaceholderData}>
      {listing.data.transactions.length === 0 ? (
        <Empty icon={<SearchX />} title="No Tips Found">
          <p>No tip of yours fits these filters.</p>
          <Clear />
        </Empty>
      ) : (
        <TransactionList user={user} listing={listing.data} />
      )}
    </div>
  );
}

function Clear() {
  return (
    <ButtonLink look="quiet" className={styles.clearButton} {...clearingLink}>
      Clear Filters
    </ButtonLink>
  );
}
