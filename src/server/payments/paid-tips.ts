/** Tips that are paid at a payment service, and the sweep of payments without a webhook event. */
import type { PaymentRecord, PayoutAccount } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { leftOf } from '#server/storage/rules/tips.ts';
import { type Clock, isWithin } from '#shared/calendar.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { AppError } from '#shared/errors.ts';
import { newTransactionId, type RandomBytes, type TransactionId, type UserId } from '#shared/ids.ts';
import { endLapsedHold, endsFromMs } from './gone-keys.ts';
import { createKnownPlatform, type KnownPlatform } from './known-platform.ts';
import { createPaymentLooks } from './payment-looks.ts';
import {
  createPaymentProgress,
  FIRST_LOOK_MS,
  type PaymentProgress,
  type ProgressDependencies,
} from './payment-progress.ts';
import { PaymentServiceUnavailable } from './payment-service.ts';
import { createRecovery } from './recovery.ts';
import type { TipPayments, UnpaidTip } from './tip-payments.ts';
import { findToReverse } from './tip-to-reverse.ts';
import { createWebhookEvents } from './webhook-events.ts';

/** How long somebody may take to pay, or the payment service may not answer, before the tip has failed. */
const PAGE_LIFETIME_MS = 60 * 60_000;
/** The least time between two look-ups of one payment that its giver waits for. */
const ASK_INTERVAL_MS = 3_000;
/** Payments of one account that are looked up in that time: Stripe answers all of an operator's calls from one quota. */
const ASKED_OF_ACCOUNT = 5;

export function createPaidTips(
  deps: ProgressDependencies & {
    readonly excludedCategories: readonly ServiceCategory[];
    readonly random: RandomBytes;
    tellUnknown(checkoutId: string): void;
    tellAnswering(isAnswering: boolean): void;
    tellHearing(isHeard: boolean): void;
  },
): TipPayments {
  const { storage, service, clock, log, excludedCategories, accounts, random } = deps;
  const { payments } = storage;
  const progress = createPaymentProgress({ ...deps, hasReadPages: () => recovery.hasCaughtUp() });
  const knownPlatform = createKnownPlatform({ service, tellUnavailable });
  const looks = createPaymentLooks({ ...deps, progress });
  const { between } = looks;
  const recovery = createRecovery({ ...deps, progress, between });
  const webhookEvents = createWebhookEvents({ ...deps, progress, recovery, between });
  const mayAskAbout = createMayAsk(clock);

  /** @throws any other error. */
  function tellUnavailable(err: unknown): void {
    if (!(err instanceof PaymentServiceUnavailable)) throw err;
    log.warn({ err }, 'the payment service does not answer');
  }

  async function orUnavailable<Result>(step: () => Promise<Result>): Promise<Result> {
    try {
      return await step();
    } catch (error) {
      tellUnavailable(error);
      throw new AppError('payment_unavailable');
    }
  }

  /**
   * A payment of an account has a random id and keeps its key: one that a restored database has lost must not have the
   * id of the one that begins under the same key since.
   */
  async function idOf({ id, giverId, idempotencyKey }: UnpaidTip): Promise<TransactionId> {
    if (giverId === null || idempotencyKey === null) return id;
    // The tip may have been simulated before.
    return (await storage.findTransaction(giverId, id)) ? id : newTransactionId(random);
  }

  async function findOwn(giver: UserId | null, id: TransactionId): Promise<PaymentRecord | null> {
    const payment = await payments.findPayment({ id });
    return payment?.giverId === giver ? payment : null;
  }

  async function payableAccounts(userId: UserId): Promise<readonly PayoutAccount[]> {
    const own = await payments.listPayoutAccounts(userId);
    return own.filter((account) => account.chargesEnabled && knownPlatform.isOfKeys(account));
  }

  return {
    mode: service.mode,
    isOfKeys: knownPlatform.isOfKeys,
    endsFromMs,

    async isPayable(userId, category) {
      if (excludedCategories.includes(category)) return false;
      const accounts = await payableAccounts(userId);
      const isCertain = knownPlatform.now() !== null || accounts.some(({ platform }) => platform === null);
      if (isCertain || accounts.length === 0) return accounts.length > 0;
      return (await knownPlatform.forPages()) === null ? null : accounts.some(knownPlatform.isOfKeys);
    },

    async begin(tip) {
      if (excludedCategories.includes(tip.serviceCategory)) return { outcome: 'not_payable' };
      const now = clock();
      // A held tip begins no payment, so that it is answered while the payment service is away.
      const platform = tip.isHeld ? (knownPlatform.now() ?? '') : await orUnavailable(knownPlatform.learn);
      if (!tip.isHeld) await recovery.noteStart();
      const id = await idOf(tip);
      const wanted = { ...tip, id, paymentMode: service.mode, platform, expiresAtMs: now + PAGE_LIFETIME_MS };
      const begun = await payments.beginPayment(wanted, now + FIRST_LOOK_MS);
      if (tip.isHeld || !('payment' in begun)) return begun;
      const payment = await orUnavailable(() => progress.withPage(begun.payment));
      const isPayable = payment.state !== 'failed' || (await payableAccounts(payment.receiverId)).length > 0;
      return isPayable ? { ...begun, payment } : { outcome: 'not_payable' };
    },

    async find(giver, id) {
      const payment = await findOwn(giver, id);
      if (payment?.state !== 'pending') return payment;
      if (!mayAskAbout(payment)) return payment;
      try {
        return await progress.lookUp(payment);
      } catch (error) {
        if (error instanceof PaymentServiceUnavailable) return payment;
        throw error;
      }
    },

    async giveUp(giver, id) {
      const payment = await findOwn(giver, id);
      // The page that is being made could be paid all the same.
      if (payment?.state === 'created') throw new AppError('payment_unavailable');
      if (payment?.state !== 'pending' || !payment.checkout) return payment;
      const { id: checkoutId } = payment.checkout;
      return orUnavailable(async () =>
        (await progress.isAskable(payment))
          ? progress.hear(payment, await service.close(checkoutId))
          : progress.lookUp(payment),
      );
    },

    refund: createRefund({ storage, progress, knownPlatform, clock, orUnavailable }),

    async takeWebhookEvent(body, signature) {
      const event = service.readEvent(body, signature);
      if (!event) throw new AppError('invalid_notice');
      await orUnavailable(() => webhookEvents.take(event));
    },

    async sweep(meanwhile) {
      await webhookEvents.forget();
      await recovery.noteStart();
      await knownPlatform.learn().catch(tellUnavailable);
      await looks.sweep(meanwhile);
      await webhookEvents.catchUp();
      await accounts.sweep().catch(tellUnavailable);
    },
  };
}

/**
 * Counts questions about a payment. Those of guests are bounded by their address (limits.ts).
 * @returns whether the last one was long enough ago, and those about others of the account were few.
 */
function createMayAsk(clock: Clock): (payment: Pick<PaymentRecord, 'id' | 'giverId'>) => boolean {
  const asked = new Map<TransactionId, { readonly giverId: UserId | null; readonly atMs: number }>();

  return ({ id, giverId }) => {
    const now = clock();
    for (const [one, { atMs }] of asked) if (!isWithin(ASK_INTERVAL_MS, atMs, now)) asked.delete(one);
    const ofAccount = giverId === null ? [] : [...asked.values()].filter((one) => one.giverId === giverId);
    if (asked.has(id) || ofAccount.length >= ASKED_OF_ACCOUNT) return false;
    asked.set(id, { giverId, atMs: now });
    return true;
  };
}

/** Refunds a tip: at once where it was simulated, else by the payment service. */
function createRefund(deps: {
  readonly storage: Storage;
  readonly progress: Pick<PaymentProgress, 'finishRefund'>;
  readonly knownPlatform: Pick<KnownPlatform, 'isOfKeys'>;
  readonly clock: Clock;
  /** @throws AppError `payment_unavailable` where the step finds that the payment service does not answer. */
  orUnavailable<Result>(step: () => Promise<Result>): Promise<Result>;
}): TipPayments['refund'] {
  const { storage, progress, knownPlatform, clock, orUnavailable } = deps;
  const { payments } = storage;
  const underWay = new Map<TransactionId, Promise<PaymentRecord>>();

  /** Requests of one process wait for the same answer; those of another one are told it by the payment service. */
  function finish(payment: PaymentRecord): Promise<PaymentRecord> {
    const { id } = payment;
    const finishing = underWay.get(id) ?? progress.finishRefund(payment).finally(() => underWay.delete(id));
    underWay.set(id, finishing);
    return finishing;
  }

  return async (reversal) => {
    const tip = await findToReverse(storage, reversal);
    // While the giver is still paying there is no tip.
    if (!tip) return { outcome: 'unknown_transaction' };
    if (tip.paymentMode === 'simulated') return storage.reverseTip(reversal);
    const known = await payments.findPayment({ id: tip.id });
    if (!(known && knownPlatform.isOfKeys(known)) && tip.reversal === null)
      return endLapsedHold(storage, reversal);
    const asked = await payments.askForRefund(reversal, clock() + FIRST_LOOK_MS);
    if (!('payment' in asked)) return asked;
    const payment = await orUnavailable(() => finish(asked.payment));
    const transaction = await findToReverse(storage, reversal);
    if (!transaction) throw new Error(`${payment.id} has gone`);
    // When the rest after a dispute was refunded, the tip is not reversed: the dispute may still be won.
    const isGone = transaction.adjustments.at(-1)?.kind === 'refund' && leftOf(transaction).amountCents === 0;
    if (!isBack(payment) && !isGone) throw new AppError('not_refundable', { reason: REFUSED });
    return { outcome: isBack(asked.payment) ? 'repeated' : 'reversed', transaction };
  };
}

const REFUSED = 'The payment service has refused to give this tip back. Please try again later.';

function isBack({ state }: PaymentRecord): boolean {
  return state === 'refunded' || state === 'cancelled';
}
