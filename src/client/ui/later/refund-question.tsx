import { cents, formatMoney } from '#shared/money.ts';
import { isArriving } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import { Confirmation } from './confirmation.tsx';
import styles from './refund-question.module.css';
import { leftOfKept, leftOfPaid } from './tip-changes.ts';

const LABELS = {
  giver: { verb: 'Take Back', underWay: 'Taking Back...' },
  receiver: { verb: 'Refund', underWay: 'Refunding...' },
} as const;

export function refundLabel(isGiver: boolean, isUnderWay: boolean): string {
  return LABELS[isGiver ? 'giver' : 'receiver'][isUnderWay ? 'underWay' : 'verb'];
}

interface RefundQuestionProps {
  readonly tip: Pick<
    Transaction,
    'amountCents' | 'giverFeeCents' | 'netAmountCents' | 'receiverName' | 'status' | 'capturesAt' | 'changes'
  >;
  readonly isGiver: boolean;
  readonly isUnderWay: boolean;
  readonly problem: string | null;
  /** Whether it may be under way already, so that keeping the tip is no choice. */
  readonly mayBeAsked: boolean;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

export function RefundQuestion(props: RefundQuestionProps) {
  const { tip, isGiver, isUnderWay, problem, mayBeAsked, onConfirm, onCancel } = props;
  const { amountCents, receiverName } = tip;
  const sum = formatMoney(amountCents);
  return (
    <Confirmation
      title={isGiver ? `Take back your ${sum} tip?` : `Refund this ${sum} tip?`}
      confirm={refundLabel(isGiver, isUnderWay)}
      cancel={mayBeAsked ? 'Close' : 'Keep It'}
      isUnderWay={isUnderWay}
      onConfirm={onConfirm}
      onCancel={onCancel}
    >
      {isGiver ? (
        <p>
          {giverGets(tip)} <bdi>{receiverName}</bdi> is told that you took it back.
        </p>
      ) : (
        <p>
          {formatMoney(leftOfKept(tip))} is taken from your total. {customerGets(tip)}
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

function giverGets(tip: RefundQuestionProps['tip']): string {
  const { amountCents, giverFeeCents, changes } = tip;
  if (isArriving(tip)) return 'Your card is not charged.';
  if (changes.length > 0) return `You get the rest back: ${formatMoney(leftOfPaid(tip))}.`;
  const fee = giverFeeCents > 0 ? `, with the service fee of ${formatMoney(giverFeeCents)}` : '';
  return `You get ${formatMoney(cents(amountCents + giverFeeCents))} back${fee}.`;
}

function customerGets(tip: RefundQuestionProps['tip']): string {
  const { amountCents, giverFeeCents, changes } = tip;
  if (isArriving(tip)) return 'The customer is not charged.';
  if (changes.length > 0) return 'The customer gets the rest back.';
  const fee = giverFeeCents > 0 ? ', with the service fee' : '';
  return `The customer gets ${formatMoney(cents(amountCents + giverFeeCents))} back${fee}.`;
}
