/**
 * Tips that are paid at a payment service: the calls of givers and receivers, and the sweep of payments
 * without a webhook event.
 */
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { AppError } from '#shared/errors.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import { createPaymentProgress, FIRST_LOOK_MS, type ProgressDependencies } from './payment-progress.ts';
import { PaymentServiceUnavailable } from './payment-service.ts';
import type { PayoutAccounts } from './payout-accounts.ts';
import type { TipPayments } from './tip-payments.ts';
import { findToReverse } from './tip-to-reverse.ts';
import { createWebhookEvents } from './webhook-events.ts';

/** So long somebody may take to pay, and the payment service may not answer, before the tip has failed. */
const PAGE_LIFETIME_MS = 60 * 60_000;
/** The least time between two look-ups of one payment that its giver waits for. */
const ASK_INTERVAL_MS = 3_000;
const PAYMENTS_AT_ONCE = 20;
/** An event that is late comes within this time. */
const HEARING_MS = 60 * 60_000;

export function createPaidTips(
  deps: ProgressDependencies & {
    readonly accounts: PayoutAccounts;
    readonly excludedCategories: readonly ServiceCategory[];
    /** Told whether webhook events are heard of what is paid; without them a tip arrives minutes later. */
    tellHearing(isHeard: boolean): void;
  },
): TipPayments {
  const { storage, service, clock, log, excludedCategories } = deps;
  const { payments } = storage;
  const progress = createPaymentProgress(deps);
  const webhookEvents = createWebhookEvents({ storage, service, clock, log, progress });
  const askedAtMs = new Map<TransactionId, number>();
  let isHeard = true;

  async function orUnavailable<Result>(step: () => Promise<Result>): Promise<Result> {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof PaymentServiceUnavailable)) throw error;
      log.warn({ err: error }, 'the payment service does not answer');
      throw new AppError('payment_unavailable');
    }
  }

  async function findOwn(giver: UserId | null, id: TransactionId): Promise<PaymentRecord | null> {
    const payment = await payments.findPayment({ id });
    return payment?.giverId === giver ? payment : null;
  }

  /** Each process hears of some events only, so that the storage is asked. */
  async function listen(hasMissed: boolean): Promise<void> {
    if (isHeard && !hasMissed) return;
    isHeard = await payments.hasHeardSince(clock() - HEARING_MS);
    deps.tellHearing(isHeard);
  }

  return {
    mode: service.mode,

    async isPayable(userId, category) {
      if (excludedCategories.includes(category)) return false;
      const account = await payments.findPayoutAccount({ userId, paymentMode: service.mode });
      return account?.chargesEnabled ?? false;
    },

    async begin(tip) {
      if (excludedCategories.includes(tip.serviceCategory)) return { outcome: 'not_payable' };
      const now = clock();
      const payment = { ...tip, paymentMode: service.mode, expiresAtMs: now + PAGE_LIFETIME_MS };
      const begun = await payments.beginPayment(payment, now + FIRST_LOOK_MS);
      if (tip.isHeld || (begun.outcome !== 'begun' && begun.outcome !== 'repeated')) return begun;
      return { ...begun, payment: await orUnavailable(() => progress.withPage(begun.payment)) };
    },

    async find(giver, id) {
      const payment = await findOwn(giver, id);
      if (payment?.state !== 'pending') return payment;
      const now = clock();
      if (now < (askedAtMs.get(id) ?? 0) + ASK_INTERVAL_MS) return payment;
      for (const [asked, atMs] of askedAtMs) if (atMs + ASK_INTERVAL_MS <= now) askedAtMs.delete(asked);
      askedAtMs.set(id, now);
      try {
        return await progress.lookUp(payment);
      } catch (error) {
        if (error instanceof PaymentServiceUnavailable) return payment;
        throw error;
      }
    },

    async giveUp(giver, id) {
      const payment = await findOwn(giver, id);
      if (payment?.state !== 'pending' || !payment.checkout || !progress.isAskable(payment)) return payment;
      const { id: checkoutId } = payment.checkout;
      return orUnavailable(async () => progress.hear(payment, await service.close(checkoutId)));
    },

    async refund(reversal) {
      const tip = await findToReverse(storage, reversal);
      // The giver may be paying at this moment.
      if (!tip) return { outcome: 'unknown_transaction' };
      if (tip.paymentMode === 'simulated') return storage.reverseTip(reversal);
      if (tip.paymentMode !== service.mode && tip.reversal === null) return { outcome: 'refused' };
      const asked = await payments.askForRefund(reversal, clock() + FIRST_LOOK_MS);
      if (!('payment' in asked)) return asked;
      const payment = await orUnavailable(() => progress.finishRefund(asked.payment));
      if (payment.state !== 'refunded') return { outcome: 'refused' };
      const transaction = await findToReverse(storage, reversal);
      if (!transaction) throw new Error(`${payment.id} has gone`);
      return { outcome: asked.outcome === 'asked' ? 'reversed' : 'repeated', transaction };
    },

    async takeWebhookEvent(body, signature) {
      const event = service.readEvent(body, signature);
      if (!event) throw new AppError('invalid_notice');
      await orUnavailable(() => webhookEvents.take(event));
    },

    async sweep() {
      await webhookEvents.forget();
      let hasMissed = false;
      for (const payment of await payments.takeOpenPayments(clock(), PAYMENTS_AT_ONCE)) {
        try {
          const isOpen = payment.state !== 'succeeded';
          const now = await (isOpen ? progress.lookUp(payment) : progress.finishRefund(payment));
          hasMissed ||= isOpen && now.state === 'succeeded';
        } catch (err) {
          // Each payment was taken out of the others of this batch, which must not wait for it.
          if (err instanceof PaymentServiceUnavailable)
            log.warn({ err, payment: payment.id }, 'the payment service does not answer');
          else log.error({ err, payment: payment.id }, 'could not find out what became of a payment');
        }
      }
      await listen(hasMissed);
      await webhookEvents.catchUp();
      try {
        await deps.accounts.sweep();
      } catch (err) {
        if (!(err instanceof PaymentServiceUnavailable)) throw err;
        log.warn({ err }, 'the payment service does not tell of accounts');
      }
    },
  };
}
