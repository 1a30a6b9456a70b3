/**
 * Tips that are paid at a payment service. Whatever is heard of a payment, by a notice, from the giver who comes back, or because it
 * was asked for, moves it through the same few steps of the storage, so that the order and the number of what is heard do not matter.
 */
import type { Logger } from 'pino';
import type { PaymentMove, PaymentRecord } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { AppError } from '#shared/errors.ts';
import { isTransactionId, type ReceiptToken, type TransactionId, type UserId } from '#shared/ids.ts';
import { shownReceiver } from '#shared/tip-pages.ts';
import {
  type Heard,
  type Notice,
  type PaymentService,
  PaymentServiceUnavailable,
} from './payment-service.ts';
import type { TipPayments } from './tip-payments.ts';

const MINUTE_MS = 60_000;
/** A page can be paid on for 30 minutes; the minute more is for clocks that differ, because Stripe takes no less. */
const PAGE_LIFETIME_MS = 31 * MINUTE_MS;
/** When to ask for a payment of which nothing was heard. */
const FIRST_LOOK_MS = 2 * MINUTE_MS;
/** How often somebody who waits for a payment may have it asked for. */
const ASK_INTERVAL_MS = 3_000;
const PAYMENTS_AT_ONCE = 20;
/** Stripe repeats a notice for three days. */
const NOTICE_MEMORY_MS = 7 * 24 * 60 * MINUTE_MS;
const NOTICES_AT_ONCE = 1_000;
/** Stripe tells for 30 days what it has told. */
const NOTICES_KEPT_MS = 30 * 24 * 60 * MINUTE_MS;
const CATCH_UP_INTERVAL_MS = 10 * MINUTE_MS;
/** For clocks that differ, and for what Stripe lists later than it happened. */
const CATCH_UP_OVERLAP_MS = 60 * MINUTE_MS;
/** What is younger is left to its notice. */
const NOTICE_DELAY_MS = 2 * MINUTE_MS;

export function createPaidTips(deps: {
  readonly storage: Storage;
  readonly service: PaymentService;
  readonly clock: Clock;
  readonly log: Logger;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  /** The token of the receipt of a guest, who comes back by it. */
  readonly receiptTokenOf: (id: TransactionId) => ReceiptToken;
  /** The services that the payment service does not serve. */
  readonly excludedCategories: readonly ServiceCategory[];
}): TipPayments {
  const { storage, service, clock, log, publicUrl, receiptTokenOf, excludedCategories } = deps;
  const { payments } = storage;
  /** When those were asked for last whose givers wait. */
  const askedAtMs = new Map<TransactionId, number>();
  let nextCatchUpMs = 0;
  /** Up to when the payment service was asked what has gone back. */
  let caughtUpToMs = clock() - NOTICES_KEPT_MS;

  async function move(payment: PaymentRecord, to: PaymentMove): Promise<PaymentRecord> {
    const now = clock();
    const moved = await payments.movePayment(payment.id, to, now, now + FIRST_LOOK_MS);
    if (!moved) throw new Error(`${payment.id} has gone`);
    return moved.payment;
  }

  /** Whether the payment service knows it under the keys of today: what was begun with test keys is unknown where money moves. */
  const isAskable = ({ paymentMode }: PaymentRecord) => paymentMode === service.mode;

  /** Gives a payment its page, if it has none yet. */
  async function withPage(payment: PaymentRecord): Promise<PaymentRecord> {
    if (payment.state !== 'created') return payment;
    if (!isAskable(payment)) return move(payment, { kind: 'failed' });
    const { id, qrCodeId } = payment;
    const { fullName } = shownReceiver({
      ...{ id: qrCodeId, userId: payment.receiverId, displayName: payment.displayName },
      ...{ username: payment.receiverUsername, fullName: payment.receiverName },
    });
    const paidUrl = `${publicUrl}/tip/${qrCodeId}?payment=${payment.giverId === null ? receiptTokenOf(id) : id}`;
    const words = { title: `Tip for ${fullName}`, paidUrl, leftUrl: `${paidUrl}&left=1` };
    const begun = await service.begin(payment, words);
    if (begun.outcome === 'page') return move(payment, { kind: 'pending', checkout: begun });
    log.warn({ payment: id }, 'the payment service has refused to take a payment');
    return move(payment, { kind: 'failed' });
  }

  /** Moves a payment by what was heard of its page. */
  async function hear(payment: PaymentRecord, heard: Heard): Promise<PaymentRecord> {
    switch (heard.is) {
      case 'open':
        return payment;
      case 'expired':
      case 'failed':
        return move(payment, { kind: heard.is });
      case 'paid': {
        const { id, amountCents, giverFeeCents } = payment;
        const dueCents = amountCents + giverFeeCents;
        if (heard.chargedCents !== dueCents) {
          log.error(
            { payment: id, dueCents, chargedCents: heard.chargedCents },
            'another sum was paid than was due',
          );
          return payment;
        }
        const paid = await move(await withPage(payment), { kind: 'succeeded', chargeId: heard.chargeId });
        if (paid.state !== 'succeeded' && paid.state !== 'refunded')
          log.error({ payment: id, state: paid.state }, 'a payment was paid that had ended');
        return paid;
      }
    }
  }

  async function lookUp(payment: PaymentRecord): Promise<PaymentRecord> {
    // A page that was never noted here was shown to nobody, and has run out; the payment service may not let it be asked for.
    if (payment.state === 'created' && clock() >= payment.expiresAtMs)
      return move(payment, { kind: 'expired' });
    const begun = await withPage(payment);
    return begun.state === 'pending' && begun.checkout && isAskable(begun)
      ? hear(begun, await service.lookUp(begun.checkout.id))
      : begun;
  }

  /** Takes back from the receiver as well what has gone back to the giver. */
  async function takeBack(payment: PaymentRecord): Promise<PaymentRecord> {
    if ((await service.takeBack(payment)) === 'refused')
      log.error({ payment: payment.id }, 'the receiver keeps what has gone back to the giver');
    return move(payment, { kind: 'refunded' });
  }

  async function finishRefund(payment: PaymentRecord): Promise<PaymentRecord> {
    if (payment.state !== 'succeeded' || !payment.refund || !isAskable(payment)) return payment;
    switch (await service.refund(payment)) {
      case 'refunded':
        return move(payment, { kind: 'refunded' });
      case 'refunded_before':
        return takeBack(payment);
      case 'refused':
        log.warn({ payment: payment.id }, 'the payment service has refused a refund');
        return move(payment, { kind: 'refund_refused', askedAtMs: payment.refund.askedAtMs });
    }
  }

  /** The payment of a charge, also when nothing was heard yet of its having been paid. */
  async function findCharged(chargeId: string): Promise<PaymentRecord | null> {
    const known = await payments.findPayment({ chargeId });
    if (known) return known;
    const id = await service.findTip(chargeId);
    const payment = id !== null && isTransactionId(id) ? await payments.findPayment({ id }) : null;
    const heard = payment && (await lookUp(payment));
    return heard?.chargeId === chargeId ? heard : null;
  }

  /** News of a page, which may be one that was made in vain and shown to nobody. */
  async function handlePage(id: string | null, checkoutId: string, heard: Heard): Promise<void> {
    if (id === null || !isTransactionId(id)) return;
    const known = await payments.findPayment({ id });
    const payment = known && heard.is === 'paid' ? await withPage(known) : known;
    if (payment && (payment.checkout === null || payment.checkout.id === checkoutId))
      await hear(payment, heard);
    else if (heard.is === 'paid')
      log.error({ payment: id, page: checkoutId }, 'a page was paid that no payment here knows');
  }

  async function handle({ news }: Notice): Promise<void> {
    switch (news.of) {
      case 'page':
        return handlePage(news.transactionId, news.checkoutId, news.heard);
      case 'refund':
      case 'dispute': {
        const payment = await findCharged(news.chargeId);
        if (payment?.state === 'succeeded') await takeBack(payment);
        return;
      }
      case 'account': {
        const known = await payments.findPayoutAccount({ accountId: news.account.accountId });
        if (known) await payments.savePayoutAccount({ ...known, ...news.account }, clock());
        return;
      }
      case 'other':
        return;
    }
  }

  /** Takes a notice, unless it was taken before. */
  async function take(notice: Notice): Promise<void> {
    if (await payments.hasWebhookEvent(notice.id)) return;
    await handle(notice);
    // Only now, so that one that could not be dealt with comes again.
    await payments.rememberWebhookEvent(notice.id, clock());
  }

  /** Takes the notices of money that has gone back which never came. Nobody looks again at a payment that was paid. */
  async function catchUp(): Promise<void> {
    const now = clock();
    if (now < nextCatchUpMs) return;
    nextCatchUpMs = now + CATCH_UP_INTERVAL_MS;
    const toMs = now - NOTICE_DELAY_MS;
    try {
      for await (const notice of service.listNotices(caughtUpToMs - CATCH_UP_OVERLAP_MS, toMs)) {
        try {
          await take(notice);
        } catch (err) {
          if (err instanceof PaymentServiceUnavailable) throw err;
          log.error({ err, notice: notice.id }, 'could not take a notice');
        }
      }
      caughtUpToMs = toMs;
    } catch (err) {
      if (!(err instanceof PaymentServiceUnavailable)) throw err;
      log.warn({ err }, 'the payment service does not tell what has gone back');
    }
  }

  /** The payment service's silence as an answer. */
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
      if (begun.outcome !== 'begun' && begun.outcome !== 'repeated') return begun;
      return { ...begun, payment: await orUnavailable(() => withPage(begun.payment)) };
    },

    async find(giver, id) {
      const payment = await findOwn(giver, id);
      if (payment?.state !== 'pending') return payment;
      const now = clock();
      if (now < (askedAtMs.get(id) ?? 0) + ASK_INTERVAL_MS) return payment;
      for (const [asked, atMs] of askedAtMs) if (atMs + ASK_INTERVAL_MS <= now) askedAtMs.delete(asked);
      askedAtMs.set(id, now);
      try {
        return await lookUp(payment);
      } catch (error) {
        if (error instanceof PaymentServiceUnavailable) return payment;
        throw error;
      }
    },

    async giveUp(giver, id) {
      const payment = await findOwn(giver, id);
      if (payment?.state !== 'pending' || !payment.checkout || !isAskable(payment)) return payment;
      const { id: checkoutId } = payment.checkout;
      return orUnavailable(async () => hear(payment, await service.close(checkoutId)));
    },

    async refund(reversal) {
      const { userId, transactionId: id } = reversal;
      const tip = await storage.findTransaction(userId, id);
      // It may be paid in this moment.
      if (!tip) return { outcome: 'unknown_transaction' };
      if (tip.paymentMode === 'simulated') return storage.reverseTip(reversal);
      if (tip.paymentMode !== service.mode && tip.reversal === null) return { outcome: 'refused' };
      const asked = await payments.askForRefund(reversal, clock() + FIRST_LOOK_MS);
      if (!('payment' in asked)) return asked;
      const payment = await orUnavailable(() => finishRefund(asked.payment));
      if (payment.state !== 'refunded') return { outcome: 'refused' };
      const transaction = await storage.findTransaction(userId, id);
      if (!transaction) throw new Error(`${id} has gone`);
      return { outcome: asked.outcome === 'asked' ? 'reversed' : 'repeated', transaction };
    },

    async takeNotice(body, signature) {
      const notice = service.readNotice(body, signature);
      if (!notice) throw new AppError('invalid_notice');
      await orUnavailable(() => take(notice));
    },

    async sweep() {
      const now = clock();
      await payments.forgetWebhookEvents(now - NOTICE_MEMORY_MS, NOTICES_AT_ONCE);
      for (const payment of await payments.takeOpenPayments(now, PAYMENTS_AT_ONCE)) {
        try {
          await (payment.state === 'succeeded' ? finishRefund(payment) : lookUp(payment));
        } catch (err) {
          // Each of them was taken from the others of this batch, which must not wait for it.
          if (err instanceof PaymentServiceUnavailable)
            log.warn({ err, payment: payment.id }, 'the payment service does not answer');
          else log.error({ err, payment: payment.id }, 'could not find out what became of a payment');
        }
      }
      await catchUp();
    },
  };
}
