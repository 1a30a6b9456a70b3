/** Simulated payments: a tip is completed at once, no money moves, and no other service is called. */
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { endLapsedHold, endsFromMs, endUnpaid } from './gone-keys.ts';
import type { TipPayments } from './tip-payments.ts';
import { findToReverse } from './tip-to-reverse.ts';

export function createSimulatedPayments(storage: Storage, clock: Clock): TipPayments {
  return {
    mode: 'simulated',
    isOfKeys: () => false,
    endsFromMs,
    isPayable: async () => true,
    begin: (tip) => storage.recordTip({ ...tip, paymentMode: 'simulated' }),
    find: async () => null,
    giveUp: async () => null,
    async refund(reversal) {
      const tip = await findToReverse(storage, reversal);
      if (!tip || tip.paymentMode === 'simulated') return storage.reverseTip(reversal);
      if (tip.reversal) return { outcome: 'reversed_before' };
      // The tip was paid at a payment service that the operator has since removed.
      return endLapsedHold(storage, reversal);
    },
    async takeWebhookEvent() {
      throw new AppError('not_found');
    },
    // Only of keys that were taken away: no simulated tip waits.
    sweep: () => endUnpaid(storage, clock()),
  };
}
