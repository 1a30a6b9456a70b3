/** Payments during maintenance: what was answered before is answered again, and no money moves. */
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { Maintenance } from '#shared/rendered-page.ts';
import type { Payouts } from './payouts.ts';
import type { TipPayments } from './tip-payments.ts';
import { findToReverse } from './tip-to-reverse.ts';

/** The wait where nobody knows the end, or the named one has passed. */
const ASK_AGAIN_SECONDS = 300;

/** Makes the refusal of what moves money, with the time that is left until the named end. */
export function createRefusal({ untilMs }: Maintenance, clock: Clock): () => AppError {
  return () => {
    const leftMs = untilMs === null ? 0 : untilMs - clock();
    return new AppError('maintenance', {
      retryAfterSeconds: leftMs > 0 ? Math.ceil(leftMs / 1_000) : ASK_AGAIN_SECONDS,
    });
  };
}

export function holdPayments(
  payments: TipPayments,
  storage: Pick<Storage, 'payments' | 'findTransaction' | 'operations'>,
  refusal: () => AppError,
): TipPayments {
  const { mode, isOfKeys, endsFromMs } = payments;
  /** The payment service is not asked, because its answer would move the payment. */
  const find: TipPayments['find'] = async (giver, id) => {
    const payment = mode === 'simulated' ? null : await storage.payments.findPayment({ id });
    return payment?.giverId === giver ? payment : null;
  };
  return {
    mode,
    isOfKeys,
    endsFromMs,
    isPayable: async () => false,
    find,

    async begin(tip) {
      const begun = await payments.begin({ ...tip, isHeld: true });
      const isPageMissing = 'payment' in begun && begun.payment.state === 'created';
      if (begun.outcome === 'held' || isPageMissing) throw refusal();
      return begun;
    },

    async giveUp(giver, id) {
      const payment = await find(giver, id);
      if (payment?.state === 'created' || payment?.state === 'pending') throw refusal();
      return payment;
    },

    async refund(reversal) {
      const tip = await findToReverse(storage, reversal);
      if (!tip) return { outcome: 'unknown_transaction' };
      // A tip that was reversed before is answered, because no money moves.
      if (!tip.reversal) throw refusal();
      return payments.refund(reversal);
    },

    async takeWebhookEvent(body, signature) {
      if (mode === 'simulated') return payments.takeWebhookEvent(body, signature);
      // The payment service sends it again, for days.
      throw refusal();
    },

    async sweep() {},
  };
}

export function holdPayouts({ status, balance }: Payouts, refusal: () => AppError): Payouts {
  const refuse = async () => {
    throw refusal();
  };
  return { status, balance, onboard: refuse, openDashboard: refuse };
}
