/** A transaction in the list: its sum, when and what it was, its messages, and what can be done about it. */
import { Check, Ellipsis } from 'lucide-react';
import { lazy, useEffect, useState } from 'react';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { cents, formatMoney } from '#shared/money.ts';
import { isArriving, isKept } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import { serverNow } from '../../api-client/server-clock.ts';
import { shortDateTime } from '../../signed-in/short-date-time.ts';
import { Badge } from '../../ui/badge.tsx';
import { Later } from '../../ui/boundary.tsx';
import { Button } from '../../ui/button.tsx';
import { Money } from '../../ui/money.tsx';
import { useIsNew } from '../live/seen-tips.ts';
import { FetchedDialog } from '../shared/fetched.tsx';
import frame from './transaction-list.module.css';
import styles from './transaction-row.module.css';

const loadMenu = () => import('./tip-menu.tsx');
const ReceivedTipMenu = lazy(() => loadMenu().then((menus) => ({ default: menus.ReceivedTipMenu })));
const SentTipMenu = lazy(() => loadMenu().then((menus) => ({ default: menus.SentTipMenu })));

/** Few tips have any, and none where payments are simulated. */
const RowChanges = lazy(() =>
  import('./row-changes.tsx').then(({ RowChanges }) => ({ default: RowChanges })),
);

interface RowProps {
  readonly transaction: Transaction;
  readonly isReceived: boolean;
  readonly onThank: () => void;
  readonly onReverse: () => void;
}

export function Row(props: RowProps) {
  const { transaction, isReceived } = props;
  const { amountCents, giverFeeCents, netAmountCents, serviceCategory, status, createdAt } = transaction;
  const sumCents = isReceived ? netAmountCents : cents(amountCents + giverFeeCents);
  const isGone = status === 'refunded' || status === 'disputed';
  const sum = <Money sign={isReceived ? '+' : '-'} amountCents={sumCents} />;
  return (
    <li tabIndex={-1} className={frame.row} data-received={isReceived} data-refunded={isGone}>
      <div className={frame.line}>
        <div className={frame.what}>
          <p className={styles.kind}>
            <span className={styles.direction}>{isReceived ? 'Received' : 'Sent'}</span>
            <Badge>{CATEGORY_LABELS[serviceCategory]}</Badge>
            {isArriving(transaction) && <span className={styles.arriving}>Arriving</span>}
          </p>
          {/* A receiver is not told who gave. */}
          {!isReceived && (
            <p>
              to <bdi>{transaction.receiverName}</bdi>
            </p>
          )}
        </div>
        <div className={frame.sum}>
          <p className={styles.amount}>
            {isGone ? (
              <>
                <span className="visually-hidden">{status === 'disputed' ? 'Disputed' : 'Refunded'}: </span>
                <s>{sum}</s>
              </>
            ) : (
              sum
            )}
          </p>
          <p className={styles.tip}>{formatMoney(amountCents)} tip</p>
        </div>
      </div>
      <div className={frame.line}>
        <p className={frame.details}>
          <span>
            {useIsNew(transaction.id) && <strong className={styles.new}>New</strong>}{' '}
            <time dateTime={createdAt}>{shortDateTime(createdAt)}</time>
          </span>
          <span className={styles.status}>Status: {status}</span>
        </p>
        <Actions {...props} />
      </div>
      {hasChanges(transaction) && (
        // The status says the most of it where this could not be fetched.
        <Later>
          <RowChanges transaction={transaction} isReceived={isReceived} />
        </Later>
      )}
      <RowMessages transaction={transaction} isReceived={isReceived} />
    </li>
  );
}

function hasChanges({ changes, capturesAt, refundAskedAt }: Transaction): boolean {
  return changes.length > 0 || capturesAt !== null || refundAskedAt !== null;
}

function Actions({ transaction, isReceived, onThank, onReverse }: RowProps) {
  const { amountCents, serviceCategory, createdAt, thankedAt, undoUntil, receiverName } = transaction;
  const [isOpen, setOpen] = useState(false);
  const canTakeBack = useIsBefore(isReceived ? null : undoUntil) && isKept(transaction);
  const name = `${formatMoney(amountCents)} tip ${
    isReceived ? `(${CATEGORY_LABELS[serviceCategory]})` : `to ${receiverName}`
  }, ${shortDateTime(createdAt)}`;
  const Menu = isReceived ? ReceivedTipMenu : SentTipMenu;
  return (
    <div className={styles.actions}>
      {isReceived && (thankedAt !== null || isKept(transaction)) && (
        <Button
          look="quiet"
          className={thankedAt === null ? undefined : styles.done}
          aria-label={`${thankedAt === null ? 'Thank' : 'Thanked'}: ${name}`}
          onClick={onThank}
        >
          {thankedAt === null ? (
            'Thank'
          ) : (
            <>
              <Check aria-hidden /> Thanked
            </>
          )}
        </Button>
      )}
      {canTakeBack && (
        <Button ref={handFocusOn} look="quiet" aria-label={`Take Back: ${name}`} onClick={onReverse}>
          Take Back
        </Button>
      )}
      <div className={styles.more}>
        <button
          type="button"
          className={styles.opener}
          aria-label={`More about this tip: ${name}`}
          aria-haspopup="menu"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Ellipsis aria-hidden />
        </button>
        {isOpen && (
          <FetchedDialog>
            <Menu tip={transaction} onRefund={onReverse} onClose={() => setOpen(false)} />
          </FetchedDialog>
        )}
      </div>
    </div>
  );
}

/** A button that goes while it has the focus leaves it to the button of the menu. */
function handFocusOn(button: HTMLButtonElement | null): () => void {
  return () => {
    if (button !== document.activeElement) return;
    button?.parentElement?.querySelector<HTMLElement>('[aria-haspopup]')?.focus();
  };
}

/** Whether a moment of the server's clock is yet to come. It turns false by itself; null has passed. */
function useIsBefore(iso: string | null): boolean {
  const endMs = iso === null ? 0 : Date.parse(iso);
  const [isBefore, setBefore] = useState(endMs > serverNow());
  useEffect(() => {
    const leftMs = endMs - serverNow();
    setBefore(leftMs > 0);
    if (leftMs <= 0) return;
    const timer = setTimeout(setBefore, leftMs, false);
    return () => clearTimeout(timer);
  }, [endMs]);
  return isBefore;
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
