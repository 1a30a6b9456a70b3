/** Simulated payments: a tip is completed at once, no money moves, and no other service is called. */
import type { Storage } from '#server/storage/port/storage.ts';
import { AppError } from '#shared/errors.ts';
import { endLapsedHold } from './lapsed-holds.ts';
import type { TipPayments } from './tip-payments.ts';
import { findToReverse } from './tip-to-reverse.ts';

export function createSimulatedPayments(storage: Storage): TipPayments {
  return {
    mode: 'simulated',
    isOfKeys: () => false,
    isPayable: async () => true,
    begin: (tip) => storage.recordTip({ ...tip, paymentMode: 'simulated' }),
    find: async () => null,
    giveUp: async () => null,
    async refund(reversal) {
      const tip = await findToReverse(storage, reversal);
      if (!tip || tip.paymentMode === 'simulated') return storage.reverseTip(reversal);
      // The tip was paid at a payment service that the operator has since removed.
      const ended = await endLapsedHold(storage, reversal);
      if (!ended) throw new AppError('payment_unavailable');
      return ended;
    },
    async takeWebhookEvent() {
      throw new AppError('not_found');
    },
    async sweep() {},
  };
}
