/** Refunds from a program beside the server: what was paid is noted, and the server's next sweep carries it out. */
import type { OperatorReversal, ReverseOutcome } from '#server/storage/port/ledger.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { AppError } from '#shared/errors.ts';
import type { PaymentMode } from '#shared/payments.ts';

export const createRefundRequests = (
  storage: Pick<Storage, 'operations' | 'payments' | 'reverseTip'>,
  mode: PaymentMode,
) => ({
  mode,

  async refund(
    reversal: OperatorReversal,
  ): Promise<ReverseOutcome | { readonly outcome: 'refused' | 'asked' }> {
    const { transactionId: id, createdAtMs } = reversal;
    const { tip = null } = (await storage.operations.findTip({ id })) ?? {};
    if (!tip) return { outcome: 'unknown_transaction' };
    if (tip.paymentMode === 'simulated') return storage.reverseTip(reversal);
    // The server would not know it under its keys.
    if (tip.paymentMode !== mode && !tip.reversal) throw new AppError('payment_unavailable');
    const { outcome } = await storage.payments.askForRefund(reversal, createdAtMs);
    return { outcome: outcome === 'repeated' ? 'asked' : outcome };
  },
});
