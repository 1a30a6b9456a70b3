/** A list of transactions with their messages, and a button that loads the next page. */
import { lazy, useLayoutEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { cents, formatUsd } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { paths } from '../../paths.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { Money } from '../../ui/money.tsx';
import { FetchedDialog } from '../shared/fetched.tsx';
import type { Listing } from '../shared/queries.ts';
import { shortDateTime } from '../short-date-time.ts';
import styles from './transaction-list.module.css';

const MessagesDialog = lazy(() =>
  import('../messages/messages-dialog.tsx').then(({ MessagesDialog }) => ({ default: MessagesDialog })),
);

interface TransactionListProps {
  readonly user: User;
  readonly listing: Listing;
}

export function TransactionList({ user, listing }: TransactionListProps) {
  const { transactions, pageCount, hasMore, isLoadingMore, loadMore } = listing;
  const list = useRef<HTMLOListElement>(null);
  /** The last row before more are loaded. The next one takes the focus then. */
  const lastRead = useRef<Element | null>(null);
  /** The tip whose messages are open, as it was then. */
  const [opened, setOpened] = useState<Transaction | null>(null);

  useLayoutEffect(() => {
    const next = transactions.length > 0 && lastRead.current?.nextElementSibling;
    if (!(next instanceof HTMLElement)) return;
    lastRead.current = null;
    next.focus({ preventScroll: true });
  }, [transactions.length]);

  return (
    <div className={styles.listing}>
      <ol ref={list} className={[card.card, styles.list].join(' ')}>
        {transactions.map((transaction) => (
          <Row
            key={transaction.id}
            transaction={transaction}
            isReceived={transaction.receiverId === user.id}
            onReply={() => setOpened(transaction)}
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
            lastRead.current = list.current?.lastElementChild ?? null;
            loadMore();
          }}
        >
          {isLoadingMore ? 'Loading...' : 'Load More'}
        </Button>
      )}
      {opened && (
        <FetchedDialog>
          <MessagesDialog
            // A list that was loaded again may no longer have it.
            tip={transactions.find(({ id }) => id === opened.id) ?? opened}
            onClose={() => setOpened(null)}
          />
        </FetchedDialog>
      )}
    </div>
  );
}

interface RowProps {
  readonly transaction: Transaction;
  readonly isReceived: boolean;
  readonly onReply: () => void;
}

function Row({ transaction, isReceived, onReply }: RowProps) {
  const { amountCents, giverFeeCents, netAmountCents, serviceCategory, status, createdAt } = transaction;
  const { thankedAt } = transaction;
  const sumCents = isReceived ? netAmountCents : cents(amountCents + giverFeeCents);
  const isRefunded = status === 'refunded';
  const reply = status === 'completed' && thankedAt === null ? 'Reply' : 'More';
  const name = `${formatUsd(sumCents)} ${
    isReceived ? `received (${CATEGORY_LABELS[serviceCategory]})` : `to ${transaction.receiverName}`
  }, ${shortDateTime(createdAt)}`;
  const sum = <Money sign={isReceived ? '+' : '-'} amountCents={sumCents} />;
  return (
    <li tabIndex={-1} className={styles.row} data-received={isReceived} data-refunded={isRefunded}>
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
          {isRefunded ? (
            <>
              <span className="visually-hidden">Refunded: </span>
              <s>{sum}</s>
            </>
          ) : (
            sum
          )}
        </p>
        <p className={styles.actions}>
          <Link href={paths.transaction(transaction.id)} aria-label={`Receipt for ${name}`}>
            Receipt
          </Link>
          {isReceived && (
            <button type="button" aria-label={`${reply}: ${name}`} onClick={onReply}>
              {reply}
            </button>
          )}
        </p>
      </div>
      <p className={styles.details}>
        <time dateTime={createdAt}>{shortDateTime(createdAt)}</time>
        <span className={styles.status}>Status: {status}</span>
      </p>
      <RowMessages transaction={transaction} isReceived={isReceived} />
    </li>
  );
}

interface RowMessagesProps {
  readonly transaction: Transaction;
  readonly isReceived: boolean;
}

/** Messages are plain text: nothing in them becomes a link. */
function RowMessages({ transaction, isReceived }: RowMessagesProps) {
  const { message, giverName, wordsHidden, reportedAt, thankYou, thankedAt, receiverName } = transaction;
  const notes = [wordsHidden && 'Message hidden', reportedAt !== null && 'Reported'].filter(Boolean);
  // The thank-you of the tip page is no answer to this tip.
  const answer = thankedAt === null ? null : thankYou;
  if (message === null && giverName === null && notes.length === 0 && answer === null) return null;
  return (
    <div className={styles.messages}>
      {giverName !== null && (
        <p className={styles.from}>
          From <bdi>{giverName}</bdi>
        </p>
      )}
      {message !== null && (
        <p dir="auto" className={styles.message}>
          {message}
        </p>
      )}
      {notes.length > 0 && <p className={styles.note}>{notes.join(' · ')}</p>}
      {answer !== null && (
        <p className={styles.answer}>
          {isReceived ? 'You said' : <bdi>{receiverName}</bdi>}: <bdi>{answer}</bdi>
        </p>
      )}
    </div>
  );
}
