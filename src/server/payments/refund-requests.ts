/** Refunds from a program beside the server: what was paid is noted, and the server's next sweep carries it out. */
import type { OperatorReversal, ReverseOutcome } from '#server/storage/port/ledger.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { endLapsedHold, endsFromMs } from './gone-keys.ts';
import { isOfKeys, type Keys, type Owned } from './known-platform.ts';

export const createRefundRequests = (
  storage: Pick<Storage, 'findTransaction' | 'operations' | 'payments' | 'reverseTip'>,
  keys: Keys,
) => ({
  mode: keys.mode,
  isOfKeys: (owned: Owned) => isOfKeys(owned, keys),
  endsFromMs,

  async refund(reversal: OperatorReversal): Promise<ReverseOutcome | { readonly outcome: 'asked' }> {
    const { transactionId: id, createdAtMs } = reversal;
    const { tip = null, payment = null } = (await storage.operations.findTip({ id })) ?? {};
    if (!tip) return { outcome: 'unknown_transaction' };
    if (tip.paymentMode === 'simulated') return storage.reverseTip(reversal);
    // The server would not know it under its keys.
    if (!(payment && isOfKeys(payment, keys)) && !tip.reversal) return endLapsedHold(storage, reversal);
    const { outcome } = await storage.payments.askForRefund(reversal, createdAtMs);
    return { outcome: outcome === 'repeated' ? 'asked' : outcome };
  },
});
