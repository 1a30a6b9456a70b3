/** The Transactions tab: a filter, which the address names, the sums of its tips, and their list. */
import { CalendarX2, ReceiptText, SearchX } from 'lucide-react';
import { lazy, type ReactNode } from 'react';
import { useSearch } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { allTransactions } from '../../signed-in/api-hooks.ts';
import { Empty } from '../../signed-in/empty.tsx';
import {
  filterFromAddress,
  isOutOfOrder,
  isUnfiltered,
  queryOf,
  type TipFilter,
} from '../../signed-in/later/tip-filter.ts';
import { useToday } from '../../signed-in/new-day.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { NewTipsProvider, useMarkedTips } from '../live/seen-tips.ts';
import { FetchedDialog, Loaded } from '../shared/fetched.tsx';
import { type Listing, useListing } from '../shared/queries.ts';
import { clearingLink, FilterBar } from './filter-bar.tsx';
import { TIP } from './tip-address.ts';
import { TransactionList } from './transaction-list.tsx';
import styles from './transactions.module.css';

const OpenedTip = lazy(() => import('./opened-tip.tsx').then(({ OpenedTip }) => ({ default: OpenedTip })));

interface TransactionsProps {
  readonly user: User;
  readonly listing: Listing;
  readonly isReceiver: boolean;
  readonly sketch: ReactNode;
}

export function Transactions({ user, listing, isReceiver, sketch }: TransactionsProps) {
  const search = useSearch();
  const filter = filterFromAddress(search, useToday(user.dayStartHour ?? 0));
  const opened = new URLSearchParams(search).get(TIP);
  const newTips = useMarkedTips(user.id, listing.transactions);
  if (listing.transactions.length === 0) {
    return (
      <Empty icon={<ReceiptText />} title="No Transactions Yet">
        <p>
          {user.isServiceProvider
            ? 'Share your QR codes to start receiving tips'
            : 'Scan QR codes to start tipping service providers'}
        </p>
      </Empty>
    );
  }
  return (
    <NewTipsProvider value={newTips}>
      <div className={styles.tab}>
        <FilterBar
          user={user}
          filter={filter}
          isReceiver={isReceiver}
          services={servicesOf(user, listing, filter)}
        />
        {isUnfiltered(filter) ? (
          <TransactionList user={user} listing={listing} />
        ) : (
          <FoundTransactions user={user} filter={filter} sketch={sketch} />
        )}
        {/* Apart from the lists, which may lose its row while somebody writes. */}
        {opened !== null && (
          <FetchedDialog>
            <OpenedTip id={opened} userId={user.id} />
          </FetchedDialog>
        )}
      </div>
    </NewTipsProvider>
  );
}

function servicesOf(user: User, { transactions }: Listing, { serviceCategory }: TipFilter) {
  return SERVICE_CATEGORIES.filter(
    (category) =>
      category === serviceCategory ||
      user.serviceCategories.includes(category) ||
      transactions.some((transaction) => transaction.serviceCategory === category),
  );
}

interface FoundTransactionsProps {
  readonly user: User;
  readonly filter: TipFilter;
  readonly sketch: ReactNode;
}

function FoundTransactions({ user, filter, sketch }: FoundTransactionsProps) {
  const { pages, listing } = useListing({ ...allTransactions, ...queryOf(filter) }, !isOutOfOrder(filter));
  if (isOutOfOrder(filter)) {
    return (
      <Empty icon={<CalendarX2 />} title="These dates are the wrong way round">
        <p>The last day must not be before the first. Change one of them, or clear the filters.</p>
        <Clear />
      </Empty>
    );
  }
  return (
    <Loaded part={listing} sketch={sketch} onRetry={() => void pages.refetch()}>
      {(found) => (
        <div className={styles.found} aria-busy={pages.isPlaceholderData}>
          {found.transactions.length === 0 ? (
            <Empty icon={<SearchX />} title="No Tips Found">
              <p>None of your tips match these filters.</p>
              <Clear />
            </Empty>
          ) : (
            <TransactionList user={user} listing={found} />
          )}
        </div>
      )}
    </Loaded>
  );
}

function Clear() {
  return (
    <ButtonLink look="quiet" className={styles.clear} {...clearingLink}>
      Clear Filters
    </ButtonLink>
  );
}
