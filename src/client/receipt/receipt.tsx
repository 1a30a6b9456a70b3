/** A receipt on the screen and on paper: amount, state, time and id. */
import { ArrowLeft, Link2, Printer } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { cents, formatMoney } from '#shared/money.ts';
import { isArriving, isKept, wasGiven, wasNeverCharged } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import { isPageUsername } from '#shared/usernames.ts';
import { isGuests, nameOf, receiptPage } from '../giving/guest-receipt.ts';
import { dashboardTab } from '../later/addresses.ts';
import { paths } from '../paths.ts';
import { toastSuccess } from '../toasts.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import card from '../ui/card.module.css';
import { Field } from '../ui/field.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { MailReceipt } from '../ui/later/mail-receipt.tsx';
import { Quote } from '../ui/later/quote.tsx';
import {
  chargeSentence,
  keptOf,
  labelOf,
  leftOfKept,
  leftOfPaid,
  paidOf,
  toldChanges,
} from '../ui/later/tip-changes.ts';
import { Money } from '../ui/money.tsx';
import { Screen } from '../ui/screen.tsx';
import { SimulatedMoney } from '../ui/simulated-money.tsx';
import states from '../ui/states.module.css';
import styles from './receipt.module.css';
import { Refunded } from './refunded.tsx';
import { Reversal } from './reversal.tsx';
import { Time } from './time.tsx';

const UNPAID = {
  pending: {
    title: 'Tip not paid yet',
    status: 'Waiting for payment',
    text: 'Your tip is sent as soon as it is paid. Just paid? It shows up here in a moment.',
  },
  failed: {
    title: 'Tip not sent',
    status: 'Failed',
    text: 'The payment failed, and nothing was charged.',
  },
  expired: {
    title: 'Tip not sent',
    status: 'Expired',
    text: 'The payment was not finished, and nothing was charged.',
  },
} as const satisfies Partial<Record<Transaction['status'], unknown>>;

function unpaidOf(transaction: Transaction) {
  const { status } = transaction;
  const isUnpaid = status === 'pending' || status === 'failed' || status === 'expired';
  return isUnpaid && !wasGiven(transaction) ? UNPAID[status] : null;
}

interface OfReceiptProps {
  readonly transaction: Transaction;
  readonly isGiver: boolean;
}

interface ReceiptProps extends OfReceiptProps {
  readonly onRefunded: (transaction: Transaction) => void;
  readonly onStale: () => void;
}

export function Receipt({ transaction, isGiver, onRefunded, onStale }: ReceiptProps) {
  const { id, amountCents, giverFeeCents, netAmountCents, serviceCategory, status, createdAt } = transaction;
  const { paymentUrl } = transaction;
  const name = nameOf(transaction);
  const isRefunded = status === 'refunded';
  const unpaid = unpaidOf(transaction);
  const sumCents = isGiver ? cents(amountCents + giverFeeCents) : netAmountCents;
  const isCharged = !unpaid && !isArriving(transaction) && !wasNeverCharged(transaction);
  const sumLabel = !isGiver ? 'Net amount' : isCharged ? 'Total paid' : 'Total';
  const leftCents = isGiver ? leftOfPaid(transaction) : leftOfKept(transaction);
  return (
    <>
      {!isGuests(name) && (
        <Link className={styles.back} href={dashboardTab('transactions')}>
          <ArrowLeft aria-hidden /> Transactions
        </Link>
      )}
      <article className={[card.card, styles.receipt].join(' ')}>
        <Head transaction={transaction} isGiver={isGiver} />
        <MessagesOfReceipt transaction={transaction} isGiver={isGiver} />
        {isRefunded && <Refunded transaction={transaction} isGiver={isGiver} />}
        <Changes transaction={transaction} isGiver={isGiver} />
        {unpaid && (
          <p className={styles.refunded} role="status">
            {unpaid.text} {/* The page of its code may have ended. */}
            {status === 'pending' && paymentUrl !== null && <a href={paymentUrl}>Finish paying</a>}
          </p>
        )}
        <dl className={styles.facts}>
          <Fact label="Service">{CATEGORY_LABELS[serviceCategory]}</Fact>
          <Fact label="Tip">
            <Money amountCents={amountCents} />
          </Fact>
          {isGiver && giverFeeCents > 0 && (
            <Fact label="Service fee, on top">
              <Money sign="+" amountCents={giverFeeCents} />
            </Fact>
          )}
          {!isGiver && amountCents > netAmountCents && (
            <Fact label="Service fee, deducted">
              <Money sign="-" amountCents={cents(amountCents - netAmountCents)} />
            </Fact>
          )}
          <Fact label={sumLabel} isSum>
            <Money amountCents={sumCents} />
          </Fact>
          {!isRefunded && leftCents !== sumCents && (
            <Fact label={isGiver ? 'Total now' : 'You keep now'} isSum>
              <Money amountCents={leftCents} />
            </Fact>
          )}
        </dl>
        <dl className={styles.facts}>
          <Fact label="Status">
            <Badge>
              {unpaid?.status ?? labelOf(transaction, isGiver) ?? (isRefunded ? 'Refunded' : 'Completed')}
            </Badge>
          </Fact>
          <Fact label="When">
            <Time iso={createdAt} />
          </Fact>
          <Fact label="Transaction">
            <span className={styles.id}>{id}</span>
          </Fact>
        </dl>
      </article>
      {isGiver && isRefunded && transaction.refundedBy === 'giver' && (
        // Mostly the amount was wrong. A page that is opened anew has none chosen.
        <div className={styles.actions}>
          <ButtonLink href={paths.tip(transaction.qrCodeId)}>
            <span>
              Tip <bdi>{transaction.receiverName}</bdi> Again
            </span>
          </ButtonLink>
        </div>
      )}
      <div className={styles.actions}>
        <CopyLink path={receiptPage(name)} />
        <Button look="quiet" onClick={() => window.print()}>
          <Printer aria-hidden /> Print
        </Button>
      </div>
      {isGiver && !unpaid && <MailReceipt name={name} isGuest={isGuests(name)} />}
      {!unpaid && (
        <Reversal transaction={transaction} isGiver={isGiver} onRefunded={onRefunded} onStale={onStale} />
      )}
    </>
  );
}

function sumsOf(transaction: Transaction, isGiver: boolean): string {
  if (!isGiver) return keptOf(transaction);
  return isArriving(transaction) ? toPayOf(transaction) : paidOf(transaction);
}

function toPayOf({ amountCents, giverFeeCents }: Transaction): string {
  return `you pay ${formatMoney(cents(amountCents + giverFeeCents))}`;
}

/** The tip leads; what was paid or kept stands below it, unless the money went back or was never paid. */
function Head({ transaction, isGiver }: OfReceiptProps) {
  const { amountCents, status, giverName, receiverName, receiverUsername, paymentMode } = transaction;
  const isDisputed = status === 'disputed';
  const isGone = status === 'refunded' || isDisputed;
  const unpaid = unpaidOf(transaction);
  return (
    <div className={styles.head}>
      <ScreenHeading className={styles.title}>
        {unpaid?.title ?? (isGiver ? 'Tip sent' : 'Tip received')}
      </ScreenHeading>
      <p className={styles.sum} data-refunded={isGone || unpaid !== null}>
        {isGone ? (
          <>
            <span className="visually-hidden">{isDisputed ? 'Disputed' : 'Refunded'}: </span>
            <s>
              <Money amountCents={amountCents} />
            </s>
          </>
        ) : (
          <Money amountCents={amountCents} />
        )}{' '}
        <span className={styles.unit}>tip</span>
      </p>
      {isKept(transaction) && <p>{sumsOf(transaction, isGiver)}</p>}
      {/* A receiver is told who gave only where the giver wants it. */}
      {giverName !== null && (
        <p>
          From <bdi>{giverName}</bdi>
        </p>
      )}
      {isGiver && (
        <p>
          to <bdi>{receiverName}</bdi>
          {!isPageUsername(receiverUsername) && (
            <>
              {' '}
              (<bdi>@{receiverUsername}</bdi>)
            </>
          )}
        </p>
      )}
      <SimulatedMoney mode={paymentMode} />
    </div>
  );
}

interface FactProps {
  readonly label: string;
  readonly isSum?: boolean;
  readonly children: ReactNode;
}

function Fact({ label, isSum = false, children }: FactProps) {
  return (
    <div data-sum={isSum}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What happened to the money after it was given, or is about to; what a refund brought stands apart. */
function Changes({ transaction, isGiver }: OfReceiptProps) {
  if (transaction.paymentMode === 'simulated') return null;
  const toCome = isKept(transaction) ? chargeSentence(transaction, isGiver) : null;
  return (
    // Screen readers announce what changes in an element that was there before.
    <div className={styles.changes} role="status">
      {toCome !== null && <p className={styles.refunded}>{toCome}</p>}
      {toldChanges(transaction, isGiver).map(({ key, at, label, sentence }) => (
        <p key={key} className={styles.refunded}>
          <strong>{label}</strong> on <Time iso={at} />: {sentence}
        </p>
      ))}
    </div>
  );
}

/** Copies the address of the receipt; where the browser refuses, the address is shown to be copied by hand. */
function CopyLink({ path }: { readonly path: string }) {
  const [isRefused, setRefused] = useState(false);
  const url = window.location.origin + path;

  async function copy() {
    try {
      await navigator.clipboard.writeText(url);
      setRefused(false);
      toastSuccess('Link copied', 'share');
    } catch {
      setRefused(true);
    }
  }

  return (
    <>
      <Button look="quiet" onClick={() => void copy()}>
        <Link2 aria-hidden /> Copy Link
      </Button>
      {isRefused && (
        <div className={styles.link}>
          <p role="alert">The link could not be copied. Copy it from here.</p>
          <Field label="Link" value={url} readOnly onFocus={({ currentTarget }) => currentTarget.select()} />
        </div>
      )}
    </>
  );
}

function MessagesOfReceipt({ transaction, isGiver }: OfReceiptProps) {
  const { message, wordsHidden, thankYou, thankedAt, receiverName } = transaction;
  const own = thankedAt === null ? 'The thank-you of your tip page' : 'Your thank-you';
  return (
    <div className={styles.words} aria-live="polite">
      {message !== null && <Quote text={message}>Message with the tip</Quote>}
      {wordsHidden && <p className={styles.hidden}>Message hidden</p>}
      {thankYou !== null && (
        <Quote text={thankYou}>
          {isGiver ? <bdi>{receiverName}</bdi> : own}
          {thankedAt !== null && (
            <>
              , <Time iso={thankedAt} />
            </>
          )}
        </Quote>
      )}
    </div>
  );
}

/** The same for other people's transactions and for none. @param props.isByLink is true for receipts of guests. */
export function UnknownReceipt({ isByLink = false }: { readonly isByLink?: boolean }) {
  return (
    <Screen title="Transaction not found" width="column">
      <section className={[card.card, states.problem].join(' ')}>
        <ScreenHeading className={states.title}>Transaction not found</ScreenHeading>
        {isByLink ? (
          <p>There is no receipt at this address. Check that the whole link was copied.</p>
        ) : (
          <>
            <p>
              This isn’t one of your tips. Only the two people of a tip can see its receipt. Check the link,
              and which account you are logged in with.
            </p>
            <ButtonLink href={dashboardTab('transactions')}>View Transactions</ButtonLink>
          </>
        )}
      </section>
    </Screen>
  );
}
