/** Sends a tip back: its giver takes it back, or its receiver refunds it. */
import { useState } from 'react';
import { cents, formatMoney } from '#shared/money.ts';
import { wasNeverCharged } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import { clearToasts, toastError, toastSuccess } from '../../toasts.ts';
import { callAbout } from '../guest-receipt.ts';
import { newIdempotencyKey } from '../idempotency-key.ts';

const NO_ANSWER =
  'No answer came, so we can’t tell if the tip was refunded. Try again: it is never refunded twice.';

interface RefundOptions {
  /** The name of the transaction for the person who sends it back. */
  readonly name: string;
  readonly isGiver: boolean;
  readonly onRefunded: (transaction: Transaction) => void;
  /** Called when the tip may have been refunded by another device or person. */
  readonly onStale: () => void;
  readonly onClose: () => void;
}

/** All attempts keep one idempotency key. */
export function useRefund({ name, isGiver, onRefunded, onStale, onClose }: RefundOptions) {
  const [key] = useState(newIdempotencyKey);
  const [isUnderWay, setUnderWay] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function reverse() {
    setUnderWay(true);
    setProblem(null);
    const result = await callAbout(name, (api) =>
      api.transactions.refund.mutate({ id: name, idempotencyKey: key }),
    );
    setUnderWay(false);
    if (result.failure === null) {
      onClose();
      onRefunded(result.answer);
      // Another toast may still say that the tip was sent.
      clearToasts();
      toastSuccess(sentenceOf(result.answer, isGiver));
      return;
    }
    const { code, detail } = result.failure;
    if (code === 'not_refundable' || code === 'other_keys') {
      onClose();
      toastError(detail ?? NO_ANSWER);
    } else {
      setProblem(detail ?? NO_ANSWER);
    }
    // The other person was faster, or only the answer to this refund was lost.
    onStale();
  }

  return {
    isUnderWay,
    problem,
    reverse: () => void reverse(),
  };
}

function sentenceOf(refunded: Transaction, isGiver: boolean): string {
  const { amountCents, giverFeeCents, changes } = refunded;
  const tip = `${formatMoney(amountCents)} tip ${isGiver ? 'taken back' : 'refunded'}.`;
  if (wasNeverCharged(refunded))
    return `${tip} ${isGiver ? 'Nothing was charged.' : 'The customer was never charged.'}`;
  const back = changes.length > 0 ? 'the rest' : formatMoney(cents(amountCents + giverFeeCents));
  return `${tip} ${isGiver ? 'You get' : 'The customer gets'} ${back} back.`;
}
