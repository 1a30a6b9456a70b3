/** Finds the receipt that an address names, after a reload or in another tab. */
import { call } from '../calls.ts';
import { toastError } from '../toasts.ts';
import { markEntry } from './history-entries.ts';
import type { Provider } from './provider.ts';
import type { Receipt, TipEvent } from './tip-flow.ts';

/** A receipt, and who was tipped. */
export interface FoundReceipt {
  readonly receipt: Receipt;
  readonly provider: Provider;
}

/**
 * Asks for the transaction. An address that names no tip of this giver to this code becomes the plain address of its tip page, with a
 * toast. It never rejects.
 */
export async function recallReceipt(
  { qrId, isDemo }: Provider,
  userId: string,
  transactionId: string,
): Promise<TipEvent> {
  const found = isDemo ? null : await findReceipt(qrId, userId, transactionId);
  if (found === 'failed') return { type: 'recall-failed' };
  if (found === null) {
    toastError('There is no receipt of yours at this address');
    markEntry({ step: 'select-amount', figures: '' }, window.location.pathname);
    return { type: 'another' };
  }
  return { type: 'recalled', receipt: found.receipt };
}

/** Asks for the receipt of a tip of this giver to this code; null when there is none. It never rejects. */
export async function findReceipt(
  qrId: string,
  userId: string,
  transactionId: string,
): Promise<FoundReceipt | null | 'failed'> {
  const outcome = await call((api) => api.transactions.get.query({ id: transactionId }));
  if (outcome.failure) return outcome.failure.status === 404 ? null : 'failed';
  const { giverId, qrCodeId, receiverName, receiverUsername, serviceCategory, ...tip } = outcome.answer;
  if (giverId !== userId || qrCodeId !== qrId) return null;
  const { amountCents, giverFeeCents, createdAt: paidAt } = tip;
  return {
    receipt: { amountCents, giverFeeCents, paidAt, transactionId },
    provider: {
      ...{ qrId, fullName: receiverName, username: receiverUsername, serviceCategory },
      isDemo: false,
    },
  };
}
