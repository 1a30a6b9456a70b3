/** What follows when the operator has changed the terms since the giver was told the total. */
import { cents, feesFor, formatMoney, putInForce, type Terms } from '#shared/money.ts';
import { amountOutOfBounds, isWithinBounds } from '#shared/tip-amount.ts';
import { call } from '../calls.ts';
import { toastError, toastMessage } from '../toasts.ts';
import { type Attempt, beginAttempt } from './attempt.ts';
import type { TipEvent } from './tip-flow.ts';

/**
 * Fetches the present terms and keeps the amount: the step shows the new total, and one tap pays it. The next
 * attempt has a new key, because the server has charged nothing under the old one.
 */
export async function showNewTerms(qrId: string, attempt: Attempt): Promise<TipEvent> {
  const outcome = await call<Terms>((api) => api.transactions.terms.query());
  const next = beginAttempt(qrId, attempt, attempt.words);
  if (outcome.failure !== null) {
    toastError('The fees have changed, and the new ones could not be loaded. Nothing was charged.');
    return { type: 'failed', interruption: null };
  }
  putInForce(outcome.answer);
  const { amountCents } = attempt;
  if (!isWithinBounds(amountCents)) {
    toastError(amountOutOfBounds());
    return { type: 'failed', interruption: null };
  }
  const total = cents(amountCents + feesFor(amountCents).giverFeeCents);
  toastMessage(`The fees have changed. Nothing was charged. The total is ${formatMoney(total)} now.`);
  return { type: 'revised', attempt: next };
}
