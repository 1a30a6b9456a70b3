/**
 * The button that reverses a tip, with its confirmation: the giver may take the tip back for a while, the
 * receiver may refund it at any time.
 */
import { useEffect, useRef, useState } from 'react';
import { type Cents, cents, formatUsd } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { serverNow } from '../api-client/server-clock.ts';
import { callAbout, nameOf } from '../giving/guest-receipt.ts';
import { newIdempotencyKey } from '../giving/idempotency-key.ts';
import { toastError, toastSuccess } from '../toasts.ts';
import { Button } from '../ui/button.tsx';
import { Confirmation } from '../ui/later/confirmation.tsx';
import styles from './reversal.module.css';
import { timeLeft } from './time-left.ts';

const ANSWER_PATIENCE_MS = 15_000;
const NO_ANSWER =
  'There was no answer, so that it is not known whether the tip was refunded. Try again: it is never refunded twice.';

const LABELS = {
  giver: { verb: 'Take Back', underWay: 'Taking Back...', question: 'Take back this tip?' },
  receiver: { verb: 'Refund', underWay: 'Refunding...', question: 'Refund this tip?' },
} as const;

interface ReversalProps {
  readonly transaction: Transaction;
  readonly isGiver: boolean;
  readonly onRefunded: (transaction: Transaction) => void;
  readonly onStale: () => void;
}

export function Reversal({ transaction, isGiver, onRefunded, onStale }: ReversalProps) {
  const { status, undoUntil } = transaction;
  const label = LABELS[isGiver ? 'giver' : 'receiver'];
  const refund = useRefund({ transaction, isGiver, onRefunded, onStale });
  const { isAsking, isUnderWay } = refund;
  const outcome = useRef<HTMLParagraphElement>(null);
  const hadFocus = useRef(false);
  const leftMs = useLeftMs(undoUntil);
  const isRefunded = status === 'refunded';
  const isPossible = !isRefunded && (!isGiver || leftMs > 0);
  const [wasPossible] = useState(isPossible);
  const isOffered = isPossible || isUnderWay;

  useEffect(() => {
    // The outcome takes the focus only when the button had it; it is announced as well.
    if (!isOffered && hadFocus.current) outcome.current?.focus();
  }, [isOffered]);

  return (
    <>
      {/* It stands before the button, so that it gives the focus back before both are gone at once. */}
      {isAsking && isOffered && <Question transaction={transaction} isGiver={isGiver} refund={refund} />}
      {isOffered && (
        <div className={styles.reversal}>
          {isGiver ? (
            <p>
              You can take this tip back for another <span role="timer">{timeLeft(leftMs)}</span>.
            </p>
          ) : (
            <p>You can give this tip back to whoever gave it.</p>
          )}
          <Button
            ref={(button) => () => {
              hadFocus.current = button === document.activeElement;
            }}
            look="quiet"
            aria-disabled={isUnderWay}
            onClick={() => isUnderWay || refund.ask()}
          >
            {isUnderWay ? label.underWay : label.verb}
          </Button>
        </div>
      )}
      {wasPossible && (
        // Screen readers announce what changes in an element that was there before.
        <p
          ref={outcome}
          role="status"
          tabIndex={-1}
          className={isOffered || isRefunded ? 'visually-hidden' : styles.reversal}
        >
          {!isOffered && (isRefunded ? 'The tip was refunded.' : 'The time to take this tip back is over.')}
        </p>
      )}
    </>
  );
}

function amountBack({ amountCents, giverFeeCents }: Transaction): Cents {
  return cents(amountCents + giverFeeCents);
}

/** Asks first, then sends the refund; all attempts keep one idempotency key. */
function useRefund({ transaction, isGiver, onRefunded, onStale }: ReversalProps) {
  const name = nameOf(transaction);
  const [key] = useState(newIdempotencyKey);
  const [isAsking, setAsking] = useState(false);
  const [isUnderWay, setUnderWay] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function reverse() {
    setUnderWay(true);
    setProblem(null);
    const result = await callAbout(name, (api) =>
      api.transactions.refund.mutate(
        { id: name, idempotencyKey: key },
        { signal: AbortSignal.timeout(ANSWER_PATIENCE_MS) },
      ),
    );
    setUnderWay(false);
    if (result.failure === null) {
      setAsking(false);
      onRefunded(result.answer);
      toastSuccess(`${formatUsd(amountBack(transaction))} went back to ${isGiver ? 'you' : 'the giver'}`);
      return;
    }
    const { code, detail } = result.failure;
    if (code === 'not_refundable') {
      setAsking(false);
      toastError(detail ?? NO_ANSWER);
    } else {
      setProblem(detail ?? NO_ANSWER);
    }
    // The other person was faster, or only the answer to this refund was lost.
    onStale();
  }

  return {
    isAsking,
    isUnderWay,
    problem,
    ask: () => setAsking(true),
    keep: () => setAsking(false),
    reverse,
  };
}

interface QuestionProps extends Pick<ReversalProps, 'transaction' | 'isGiver'> {
  readonly refund: ReturnType<typeof useRefund>;
}

function Question({ transaction, isGiver, refund }: QuestionProps) {
  const { giverFeeCents, netAmountCents, receiverName } = transaction;
  const label = LABELS[isGiver ? 'giver' : 'receiver'];
  const backCents = amountBack(transaction);
  return (
    <Confirmation
      title={label.question}
      confirm={refund.isUnderWay ? label.underWay : `${label.verb} ${formatUsd(backCents)}`}
      cancel="Keep It"
      isUnderWay={refund.isUnderWay}
      onConfirm={() => void refund.reverse()}
      onCancel={refund.keep}
    >
      {isGiver ? (
        <p>
          The whole {formatUsd(backCents)} goes back to you, with the service fee of{' '}
          {formatUsd(giverFeeCents)}. <bdi>{receiverName}</bdi> is told that the tip was taken back.
        </p>
      ) : (
        <p>
          {formatUsd(netAmountCents)} leaves your takings, and the whole {formatUsd(backCents)} goes back to
          the giver, with the service fees.
        </p>
      )}
      <p>Nothing is deleted: the tip stays in both lists as refunded. This cannot be undone.</p>
      {refund.problem !== null && (
        <p role="alert" className={styles.problem}>
          {refund.problem}
        </p>
      )}
    </Confirmation>
  );
}

const SECOND_MS = 1_000;

/**
 * The time until a moment of the server's clock, in milliseconds, updated each second; 0 when it has passed
 * or is null.
 */
function useLeftMs(iso: string | null): number {
  const [nowMs, setNowMs] = useState(serverNow);
  const isTimed = iso !== null;
  useEffect(() => {
    if (!isTimed) return;
    const timer = setInterval(() => setNowMs(serverNow()), SECOND_MS);
    return () => clearInterval(timer);
  }, [isTimed]);
  return iso === null ? 0 : Math.max(0, Date.parse(iso) - nowMs);
}
