/** A list of transactions with their messages, and a button that loads the next page. */
import { lazy, useState } from 'react';
import type { User } from '#shared/accounts.ts';
import type { Transaction } from '#shared/tips.ts';
import { useGrowingList } from '../../controls/growing-list.ts';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { FetchedDialog } from '../shared/fetched.tsx';
import type { Listing } from '../shared/queries.ts';
import { openTip } from './tip-address.ts';
import styles from './transaction-list.module.css';
import { Row } from './transaction-row.tsx';

const ReverseTip = lazy(() =>
  import('./reverse-tip.tsx').then(({ ReverseTip }) => ({ default: ReverseTip })),
);

interface TransactionListProps {
  readonly user: User;
  readonly listing: Listing;
}

export function TransactionList({ user, listing }: TransactionListProps) {
  const { transactions, pageCount, hasMore, isLoadingMore, loadMore } = listing;
  const { list, markLastRead } = useGrowingList<HTMLOListElement>(transactions.length);
  const [reversed, setReversed] = useState<Transaction | null>(null);

  return (
    <div className={styles.listing}>
      <ol ref={list} className={[card.card, styles.list].join(' ')}>
        {transactions.map((transaction) => (
          <Row
            key={transaction.id}
            transaction={transaction}
            isReceived={transaction.receiverId === user.id}
            onThank={() => openTip(transaction.id)}
            onReverse={() => setReversed(transaction)}
          />
        ))}
      </ol>
      {hasMore && (
        // The key makes another button for each page: the pressed one would move down with its focus.
        <Button
          key={pageCount}
          look="quiet"
          className={styles.more}
          aria-disabled={isLoadingMore}
          onClick={() => {
            markLastRead();
            loadMore();
          }}
        >
          {isLoadingMore ? 'Loading...' : 'Load More'}
        </Button>
      )}
      {reversed && (
        <FetchedDialog>
          <ReverseTip
            tip={reversed}
            isGiver={reversed.receiverId !== user.id}
            onClose={() => setReversed(null)}
          />
        </FetchedDialog>
      )}
    </div>
  );
}
