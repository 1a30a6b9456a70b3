/** The question before a tip goes back to its giver. */
import { cents, formatMoney } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { Confirmation } from './confirmation.tsx';
import styles from './refund-question.module.css';

const LABELS = {
  giver: { verb: 'Take Back', underWay: 'Taking Back...' },
  receiver: { verb: 'Refund', underWay: 'Refunding...' },
} as const;

export function refundLabel(isGiver: boolean, isUnderWay: boolean): string {
  return LABELS[isGiver ? 'giver' : 'receiver'][isUnderWay ? 'underWay' : 'verb'];
}

interface RefundQuestionProps {
  readonly tip: Pick<Transaction, 'amountCents' | 'giverFeeCents' | 'netAmountCents' | 'receiverName'>;
  readonly isGiver: boolean;
  readonly isUnderWay: boolean;
  readonly problem: string | null;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

export function RefundQuestion(props: RefundQuestionProps) {
  const { tip, isGiver, isUnderWay, problem, onConfirm, onCancel } = props;
  const { amountCents, giverFeeCents, netAmountCents, receiverName } = tip;
  const sum = formatMoney(amountCents);
  const back = formatMoney(cents(amountCents + giverFeeCents));
  return (
    <Confirmation
      title={isGiver ? `Take back your ${sum} tip?` : `Refund this ${sum} tip?`}
      confirm={refundLabel(isGiver, isUnderWay)}
      cancel="Keep It"
      isUnderWay={isUnderWay}
      onConfirm={onConfirm}
      onCancel={onCancel}
    >
      {isGiver ? (
        <p>
          You get {back} back{giverFeeCents > 0 && `, with the service fee of ${formatMoney(giverFeeCents)}`}.{' '}
          <bdi>{receiverName}</bdi> is told that you took it back.
        </p>
      ) : (
        <p>
          {formatMoney(netAmountCents)} is taken from your total. The customer gets {back} back
          {giverFeeCents > 0 && ', with the service fee'}.
        </p>
      )}
      <p>The tip stays in both lists as refunded. This cannot be undone.</p>
      {problem !== null && (
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
    </Confirmation>
  );
}
