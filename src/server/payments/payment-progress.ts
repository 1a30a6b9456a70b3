/**
 * Moves a payment on by a webhook event, a look-up, or a giver who comes back. All take the same few steps of
 * the storage, so that their order and number do not matter.
 */
import type { Logger } from 'pino';
import type { PaymentMove, PaymentRecord } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import type { ReceiptToken, TransactionId } from '#shared/ids.ts';
import { shownReceiver } from '#shared/tip-pages.ts';
import type { CheckoutState, PaymentService } from './payment-service.ts';

/** The age of a payment at its first look-up when no webhook event has come. */
export const FIRST_LOOK_MS = 120_000;

export interface ProgressDependencies {
  readonly storage: Storage;
  readonly service: PaymentService;
  readonly clock: Clock;
  readonly log: Logger;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly receiptTokenOf: (id: TransactionId) => ReceiptToken;
}

export type PaymentProgress = ReturnType<typeof createPaymentProgress>;

/** Each function returns the payment's new state, and throws PaymentServiceUnavailable. */
export function createPaymentProgress(deps: ProgressDependencies) {
  const { storage, service, clock, log, publicUrl, receiptTokenOf } = deps;
  const { payments } = storage;

  async function move(payment: PaymentRecord, to: PaymentMove): Promise<PaymentRecord> {
    const now = clock();
    const moved = await payments.movePayment(payment.id, to, now, now + FIRST_LOOK_MS);
    if (!moved) throw new Error(`${payment.id} has gone`);
    return moved.payment;
  }

  /** A payment begun with test keys is unknown to the payment service under live keys. */
  const isAskable = ({ paymentMode }: PaymentRecord) => paymentMode === service.mode;

  async function withPage(payment: PaymentRecord): Promise<PaymentRecord> {
    if (payment.state !== 'created') return payment;
    if (!isAskable(payment)) return move(payment, { kind: 'page_refused' });
    const { id, qrCodeId } = payment;
    const { fullName } = shownReceiver({
      id: qrCodeId,
      userId: payment.receiverId,
      displayName: payment.displayName,
      username: payment.receiverUsername,
      fullName: payment.receiverName,
    });
    const reference = payment.giverId === null ? receiptTokenOf(id) : id;
    const paidUrl = `${publicUrl}/tip/${qrCodeId}?payment=${reference}`;
    const texts = { title: `Tip for ${fullName}`, paidUrl, leftUrl: `${paidUrl}&left=1` };
    const begun = await service.begin(payment, texts);
    if (begun.outcome === 'page') return move(payment, { kind: 'pending', checkout: begun });
    log.warn({ payment: id }, 'the payment service has refused to take a payment');
    return move(payment, { kind: 'page_refused' });
  }

  async function hear(payment: PaymentRecord, state: CheckoutState): Promise<PaymentRecord> {
    switch (state.kind) {
      case 'open':
        return payment;
      case 'expired':
      case 'failed':
        return move(payment, { kind: state.kind });
      case 'paid': {
        const { id, amountCents, giverFeeCents } = payment;
        const dueCents = amountCents + giverFeeCents;
        if (state.chargedCents !== dueCents) {
          log.error(
            { payment: id, dueCents, chargedCents: state.chargedCents },
            'another sum was paid than was due',
          );
          return payment;
        }
        const paid = await move(await withPage(payment), { kind: 'succeeded', chargeId: state.chargeId });
        if (paid.state !== 'succeeded' && paid.state !== 'refunded')
          log.error({ payment: id, state: paid.state }, 'a payment was paid that had ended');
        return paid;
      }
    }
  }

  async function lookUp(payment: PaymentRecord): Promise<PaymentRecord> {
    // A page that was never stored was shown to nobody, and the payment service may not find it.
    if (payment.state === 'created' && clock() >= payment.expiresAtMs)
      return move(payment, { kind: 'expired' });
    const begun = await withPage(payment);
    return begun.state === 'pending' && begun.checkout && isAskable(begun)
      ? hear(begun, await service.lookUp(begun.checkout.id))
      : begun;
  }

  /** Reverses a charge for the receiver that was returned to the giver. */
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

  return { isAskable, withPage, hear, lookUp, takeBack, finishRefund };
}
