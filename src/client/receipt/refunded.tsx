/** What a receipt says of a tip that was refunded: when, by whom, and what went back. */
import { cents } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { chargeSentence, labelOf, leftOfKept, leftOfPaid } from '../ui/later/tip-changes.ts';
import { Money } from '../ui/money.tsx';
import styles from './receipt.module.css';
import { Time } from './time.tsx';

interface RefundedProps {
  readonly transaction: Transaction;
  readonly isGiver: boolean;
}

export function Refunded({ transaction, isGiver }: RefundedProps) {
  const { receiverName, refundedAt, refundedBy } = transaction;
  const isOwn = refundedBy === (isGiver ? 'giver' : 'receiver');
  return (
    <p className={styles.refunded}>
      <strong>{labelOf(transaction, isGiver) ?? 'Refunded'}</strong>
      {refundedAt !== null && (
        <>
          {' on '}
          <Time iso={refundedAt} />
        </>
      )}
      {refundedBy !== null && (
        <>
          {' by '}
          {isOwn ? 'you' : isGiver ? <bdi>{receiverName}</bdi> : 'the customer'}
        </>
      )}
      {': '}
      {chargeSentence(transaction, isGiver) ?? <WentBack transaction={transaction} isGiver={isGiver} />}
    </p>
  );
}

/** What the refund itself brought: of a tip that had changed before, the rest. */
function WentBack({ transaction, isGiver }: RefundedProps) {
  const { amountCents, giverFeeCents, netAmountCents, changes, refundedAt } = transaction;
  const before = {
    ...transaction,
    changes: changes.filter(({ at }) => refundedAt === null || at <= refundedAt),
  };
  const restCents = isGiver ? leftOfPaid(before) : leftOfKept(before);
  const who = isGiver ? 'you' : 'the customer';
  if (restCents === (isGiver ? amountCents + giverFeeCents : netAmountCents))
    return (
      <>
        <Money amountCents={cents(amountCents + giverFeeCents)} /> went back to {who}
        {giverFeeCents > 0 && ', with the service fee'}.
      </>
    );
  return (
    <>
      the rest went back to {who}
      {/* A receiver is not told what the customer paid in parts. */}
      {isGiver && (
        <>
          , <Money amountCents={restCents} />
        </>
      )}
      .
    </>
  );
}
