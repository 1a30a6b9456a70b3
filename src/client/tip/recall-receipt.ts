/** Finds the receipt or the payment that an address names, after a reload or in another tab. */
import { wasGiven } from '#shared/tip-states.ts';
import { callAbout, isUnknown } from '../giving/guest-receipt.ts';
import { PAYMENT } from '../paths.ts';
import { toastError } from '../toasts.ts';
import { isOf, receiptOf } from './given-tip.ts';
import { markEntry } from './history-entries.ts';
import type { Provider } from './provider.ts';
import type { Receipt, TipEvent } from './tip-flow.ts';

/** Only people who return from a payment service need it. */
export const fetchReturned = () => import('./returned.tsx');

export interface FoundReceipt {
  readonly receipt: Receipt;
  readonly provider: Provider;
}

/** An address without a tip of this giver to this code becomes that of the tip page, with a toast. It never rejects. */
export async function recallReceipt(
  provider: Provider,
  payerId: string,
  transactionId: string,
  dispatch: (event: TipEvent) => void,
): Promise<TipEvent> {
  const { qrId, isDemo } = provider;
  const isReturn = new URLSearchParams(window.location.search).has(PAYMENT);
  const found = isDemo ? null : isReturn ? 'unpaid' : await findReceipt(qrId, payerId, transactionId);
  if (found === 'unpaid') {
    const returned = await fetchReturned().catch(() => null);
    if (returned === null) return { type: 'recall-failed' };
    return returned.recallPayment(provider, payerId, transactionId, dispatch);
  }
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
  payerId: string,
  transactionId: string,
): Promise<FoundReceipt | null | 'unpaid' | 'failed'> {
  const outcome = await callAbout(transactionId, (api) => api.transactions.get.query({ id: transactionId }));
  if (outcome.failure) return isUnknown(outcome.failure, transactionId) ? null : 'failed';
  const { answer } = outcome;
  if (!isOf(answer, qrId, payerId)) return null;
  if (!wasGiven(answer)) return 'unpaid';
  const { receiverName, receiverUsername, serviceCategory } = answer;
  return {
    receipt: receiptOf(answer),
    provider: {
      qrId,
      fullName: receiverName,
      username: receiverUsername,
      serviceCategory,
      isDemo: false,
    },
  };
}
