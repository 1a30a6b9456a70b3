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
  /** Whether a refund waits for the payment service, as far as that is known. */
  readonly isPending?: boolean;
  readonly onRefunded: (transaction: Transaction) => void;
  /** Called when the tip may have been refunded by another device or person. */
  readonly onStale: () => void;
  readonly onClose: () => void;
}

/** The names of tips that go back or may, until the page is loaded anew. */
const askedFor = new Set<string>();

/** What is said of a refund that the server has noted. */
function askedText(isGiver: boolean): string {
  const done = isGiver ? 'taken back' : 'refunded';
  return `The payment service did not answer. It is asked again until the tip is ${done} or it refuses.`;
}

/**
 * All attempts keep one idempotency key. `mayBeAsked` says that nobody can choose to keep the tip any more, or knows
 * whether they can.
 */
export function useRefund({ name, isGiver, isPending = false, onRefunded, onStale, onClose }: RefundOptions) {
  const [key] = useState(newIdempotencyKey);
  const [isUnderWay, setUnderWay] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [mayBeAsked, setMayBeAsked] = useState(askedFor.has(name));

  async function reverse() {
    setUnderWay(true);
    setProblem(null);
    const result = await callAbout(name, (api) =>
      api.transactions.refund.mutate({ id: name, idempotencyKey: key }),
    );
    setUnderWay(false);
    const isDecided =
      result.failure === null ||
      result.failure.code === 'not_refundable' ||
      result.failure.code === 'other_keys';
    if (isDecided) askedFor.delete(name);
    else if (result.failure.code === 'payment_unavailable' || result.failure.status === null)
      askedFor.add(name);
    setMayBeAsked(askedFor.has(name));
    if (result.failure === null) {
      onClose();
      onRefunded(result.answer);
      // Another toast may still say that the tip was sent.
      clearToasts();
      toastSuccess(sentenceOf(result.answer, isGiver));
      return;
    }
    const { code, detail } = result.failure;
    if (isDecided) {
      onClose();
      toastError(detail ?? NO_ANSWER);
    } else setProblem(code === 'payment_unavailable' ? askedText(isGiver) : (detail ?? NO_ANSWER));
    // The other person was faster, or only the answer to this refund was lost.
    onStale();
  }

  return {
    isUnderWay,
    problem,
    mayBeAsked: mayBeAsked || isPending,
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
