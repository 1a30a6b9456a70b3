/** The Transactions tab: the filter that stands in the address, what the tips come to that it means, and their list, newest first. */
import { ReceiptText } from 'lucide-react';
import { useSearch } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { Empty } from '../../signed-in/empty.tsx';
import { filterFromAddress, isUnfiltered } from '../../signed-in/later/tip-filter.ts';
import { useToday } from '../shared/new-day.ts';
import type { Listing } from '../shared/queries.ts';
import { FilterBar } from './filter-bar.tsx';
import { FoundTransactions } from './found-transactions.tsx';
import { TransactionList } from './transaction-list.tsx';
import styles from './transactions.module.css';

interface TransactionsProps {
  readonly user: User;
  /** All of the account's. */
  readonly listing: Listing;
  /** Whether the account has received tips, or may. */
  readonly isReceiver: boolean;
}

export function Transactions({ user, listing, isReceiver }: TransactionsProps) {
  const filter = filterFromAddress(useSearch(), useToday());
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
    <div className={styles.tab}>
      <FilterBar user={user} filter={filter} isReceiver={isReceiver} />
      {isUnfiltered(filter) ? (
        <TransactionList user={user} listing={listing} />
      ) : (
        <FoundTransactions user={user} filter={filter} />
      )}
    </div>
  );
}
