/** Finds the receipt that an address names, after a reload or in another tab. */
import { call } from '../calls.ts';
import { toastError } from '../toasts.ts';
import { markEntry } from './history-entries.ts';
import type { Provider } from './provider.ts';
import type { TipEvent } from './tip-flow.ts';

/**
 * Asks for the transaction. An address that names no tip of this giver to this code becomes the plain address of its tip page, with a
 * toast. It never rejects.
 */
export async function recallReceipt(
  { qrId, isDemo }: Provider,
  userId: string,
  transactionId: string,
): Promise<TipEvent> {
  const outcome = isDemo ? null : await call((api) => api.transactions.get.query({ id: transactionId }));
  if (outcome?.failure && outcome.failure.status !== 404) return { type: 'recall-failed' };
  const tip = outcome?.failure === null ? outcome.answer : null;
  if (tip?.giverId !== userId || tip.qrCodeId !== qrId) {
    toastError('There is no receipt of yours at this address');
    markEntry({ step: 'select-amount', figures: '' }, window.location.pathname);
    return { type: 'another' };
  }
  const { amountCents, giverFeeCents, createdAt: paidAt } = tip;
  return { type: 'recalled', receipt: { amountCents, giverFeeCents, paidAt, transactionId } };
}
