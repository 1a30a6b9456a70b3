/** The button that reverses a tip: the giver may take it back for a while, the receiver may refund it at any time. */
import { useEffect, useRef, useState } from 'react';
import { counted } from '#shared/counted.ts';
import { isKept } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import { nameOf } from '../giving/guest-receipt.ts';
import { useLeftMs } from '../giving/later/left.ts';
import { useRefund } from '../giving/later/refund.ts';
import { Button } from '../ui/button.tsx';
import { RefundQuestion, refundLabel } from '../ui/later/refund-question.tsx';
import styles from './reversal.module.css';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface ReversalProps {
  readonly transaction: Transaction;
  readonly isGiver: boolean;
  readonly onRefunded: (transaction: Transaction) => void;
  readonly onStale: () => void;
}

export function Reversal({ transaction, isGiver, onRefunded, onStale }: ReversalProps) {
  const { status, undoUntil, refundAskedAt } = transaction;
  const isPending = refundAskedAt !== null;
  const [isAsking, setAsking] = useState(false);
  const onClose = () => setAsking(false);
  const { isUnderWay, problem, mayBeAsked, reverse } = useRefund({
    name: nameOf(transaction),
    isGiver,
    isPending,
    onRefunded,
    onStale,
    onClose,
  });
  const isHeld = document.documentElement.dataset['maintenance'] !== undefined;
  const outcome = useRef<HTMLParagraphElement>(null);
  const hadFocus = useRef(false);
  const leftMs = useLeftMs(undoUntil);
  const isRefunded = status === 'refunded';
  const isPossible = isKept(transaction) && (!isGiver || leftMs > 0);
  const [wasPossible] = useState(isPossible);
  // What was asked for in time may be done after it: the question stays until it is known.
  const isOffered = isPossible || isUnderWay || (isAsking && mayBeAsked && isKept(transaction));

  useEffect(() => {
    // The outcome takes the focus only when the button had it; it is announced as well.
    if (!isOffered && hadFocus.current) outcome.current?.focus();
  }, [isOffered]);

  return (
    <>
      {/* It stands before the button, so that it gives the focus back before both are gone at once. */}
      {isAsking && isOffered && (
        <RefundQuestion
          tip={transaction}
          isGiver={isGiver}
          isUnderWay={isUnderWay}
          problem={problem}
          mayBeAsked={mayBeAsked}
          onConfirm={reverse}
          onCancel={onClose}
        />
      )}
      {isOffered && (
        <div className={styles.reversal}>
          {/* The receipt says what a refund waits for. */}
          {isHeld ? (
            <p>Refunds are paused for maintenance. Load this page again when it is over.</p>
          ) : isPending ? null : isGiver ? (
            <p>
              You can take this tip back for another <span role="timer">{timeLeft(leftMs)}</span>.
            </p>
          ) : (
            <p>You can give this tip back.</p>
          )}
          {!isHeld && (
            <Button
              ref={(button) => () => {
                hadFocus.current = button === document.activeElement;
              }}
              look="quiet"
              aria-disabled={isUnderWay}
              onClick={() => isUnderWay || setAsking(true)}
            >
              {refundLabel(isGiver, isUnderWay)}
            </Button>
          )}
        </div>
      )}
      {wasPossible && (
        <p
          ref={outcome}
          role="status"
          tabIndex={-1}
          className={isOffered || isRefunded ? 'visually-hidden' : styles.reversal}
        >
          {!isOffered && outcomeText(isRefunded, isPending)}
        </p>
      )}
    </>
  );
}

function outcomeText(isRefunded: boolean, isPending: boolean): string {
  if (isRefunded) return 'The tip was refunded.';
  return isPending ? 'This tip is being refunded.' : 'The time to take this tip back is over.';
}

/** A duration in words, rounded up; the last minute in seconds. */
export function timeLeft(ms: number): string {
  const inUnits = (unitMs: number, unit: string) => counted(Math.ceil(ms / unitMs), unit);
  if (ms <= MINUTE_MS) return inUnits(1_000, 'second');
  return ms <= 90 * MINUTE_MS ? inUnits(MINUTE_MS, 'minute') : inUnits(HOUR_MS, 'hour');
}
