/** The Transactions tab: the list, newest first, and a button that loads the next page. */
import { ReceiptText } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { type Cents, cents, formatUsd } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { paths } from '../paths.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import card from '../ui/card.module.css';
import { Empty } from '../ui/empty.tsx';
import { Money } from '../ui/money.tsx';
import { Skeleton } from '../ui/states.tsx';
import type { Listing } from './queries.ts';
import { shortDateTime } from './short-date-time.ts';
import styles from './transactions.module.css';

interface TransactionsProps {
  readonly user: User;
  readonly listing: Listing;
}

export function Transactions({ user, listing }: TransactionsProps) {
  const { transactions, pageCount, hasMore, isLoadingMore, loadMore } = listing;
  const list = useRef<HTMLOListElement>(null);
  /** The last row before more are loaded; the one after it is focused then. */
  const lastRead = useRef<Element | null>(null);

  useLayoutEffect(() => {
    const next = transactions.length > 0 && lastRead.current?.nextElementSibling;
    if (!(next instanceof HTMLElement)) return;
    lastRead.current = null;
    next.focus({ preventScroll: true });
  }, [transactions.length]);

  if (transactions.length === 0) {
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
    <div className={styles.listing}>
      <ol ref={list} className={[card.card, styles.list].join(' ')}>
        {transactions.map((transaction) => (
          <Row
            key={transaction.id}
            transaction={transaction}
            isReceived={transaction.receiverId === user.id}
          />
        ))}
      </ol>
      {hasMore && (
        // The key makes it another button below each page: the pressed one would move down with its focus.
        <Button
          key={pageCount}
          look="quiet"
          className={styles.more}
          aria-disabled={isLoadingMore}
          onClick={() => {
            lastRead.current = list.current?.lastElementChild ?? null;
            loadMore();
          }}
        >
          {isLoadingMore ? 'Loading...' : 'Load More'}
        </Button>
      )}
    </div>
  );
}

interface RowProps {
  readonly transaction: Transaction;
  readonly isReceived: boolean;
}

function Row({ transaction, isReceived }: RowProps) {
  const { amountCents, giverFeeCents, netAmountCents, serviceCategory, status, createdAt } = transaction;
  const paidCents = cents(amountCents + giverFeeCents);
  return (
    <li tabIndex={-1} className={styles.row} data-received={isReceived}>
      <div className={styles.what}>
        <p className={styles.kind}>
          <span className={styles.direction}>{isReceived ? 'Received' : 'Sent'}</span>
          <Badge>{CATEGORY_LABELS[serviceCategory]}</Badge>
        </p>
        {/* A receiver is not told who gave. */}
        {!isReceived && (
          <p>
            to <bdi>{transaction.receiverName}</bdi>
          </p>
        )}
      </div>
      <div className={styles.sum}>
        <p className={styles.amount}>
          {isReceived ? (
            <Money sign="+" amountCents={netAmountCents} />
          ) : (
            <Money sign="-" amountCents={paidCents} />
          )}
        </p>
        {!isReceived && <ReceiptLink transaction={transaction} paidCents={paidCents} />}
      </div>
      <p className={styles.details}>
        <time dateTime={createdAt}>{shortDateTime(createdAt)}</time>
        <span>Status: {status}</span>
      </p>
    </li>
  );
}

interface ReceiptLinkProps {
  readonly transaction: Transaction;
  readonly paidCents: Cents;
}

function ReceiptLink({ transaction, paidCents }: ReceiptLinkProps) {
  const { id, qrCodeId, receiverName, createdAt } = transaction;
  return (
    <Link
      className={styles.receipt}
      href={paths.receipt(qrCodeId, id)}
      aria-label={`Receipt for ${formatUsd(paidCents)} to ${receiverName}, ${shortDateTime(createdAt)}`}
    >
      Receipt
    </Link>
  );
}

const SKETCHED_ROWS = ['a', 'b', 'c', 'd', 'e'];

/** The skeleton of the list while it loads. */
export function TransactionsSketch() {
  return (
    <div className={[card.card, styles.list].join(' ')}>
      {SKETCHED_ROWS.map((row) => (
        <div key={row} className={styles.row}>
          <div className={styles.what}>
            <Piece />
          </div>
          <div className={styles.sum}>
            <Piece />
          </div>
          <div className={styles.details}>
            <Piece />
            <Piece />
          </div>
        </div>
      ))}
    </div>
  );
}

function Piece() {
  return (
    <div className={styles.piece}>
      <Skeleton height="line" />
    </div>
  );
}
