/** Moves a payment on. Events, look-ups and givers who come back take the same steps, in any order and number. */
import type { Logger } from 'pino';
import type { PaymentMove, PaymentRecord } from '#server/storage/port/payments.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { mayRefundAll } from '#server/storage/rules/debts.ts';
import { LATEST_LOOK_MS } from '#server/storage/rules/payments.ts';
import type { Clock } from '#shared/calendar.ts';
import type { ReceiptToken, TransactionId } from '#shared/ids.ts';
import { shownReceiver } from '#shared/tip-pages.ts';
import { createChargeSettlement } from './charge-settlement.ts';
import { isPageOver } from './gone-keys.ts';
import { type CheckoutState, chargeOf, PaymentNotAllowed, type PaymentService } from './payment-service.ts';
import type { PayoutAccounts } from './payout-accounts.ts';

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
  /** The time in which a giver may take a tip back before its money is captured; 0 captures at once. */
  readonly undoMs: number;
  readonly accounts: PayoutAccounts;
  /** Told whether the payment service makes pages, as far as that is not up to the account of a receiver. */
  tellPages(areMade: boolean): void;
}

/** Where a page leads back to, and what its payment is called there. */
type PageOwner = Pick<PaymentRecord, 'id' | 'giverId' | 'qrCodeId'>;

export type PaymentProgress = ReturnType<typeof createPaymentProgress>;

/**
 * Each function returns the payment's new state, and throws PaymentServiceUnavailable.
 * @param deps.hasReadPages whether all pages that were paid and listed since this process began have been entered.
 */
export function createPaymentProgress(deps: ProgressDependencies & { hasReadPages(): boolean }) {
  const { storage, service, clock, log, publicUrl, receiptTokenOf, undoMs, accounts, tellPages } = deps;
  const { payments } = storage;
  const startedAtMs = clock();

  async function move(
    payment: PaymentRecord,
    to: PaymentMove,
    lookAtMs = clock() + FIRST_LOOK_MS,
  ): Promise<PaymentRecord> {
    const moved = await payments.movePayment(payment.id, to, clock(), lookAtMs);
    if (!moved) throw new Error(`${payment.id} has gone`);
    return moved.payment;
  }

  const settle = createChargeSettlement({ payments, service, clock, log, move });

  /** Under other keys, or those of another account of the operator, the payment service knows nothing of it. */
  async function isAskable({ paymentMode, platform }: PaymentRecord): Promise<boolean> {
    return paymentMode === service.mode && (platform === null || platform === (await service.platform()));
  }

  function paidUrlOf({ id, giverId, qrCodeId }: PageOwner): string {
    return `${publicUrl}/tip/${qrCodeId}?payment=${giverId === null ? receiptTokenOf(id) : id}`;
  }

  const { capture, finishRefund } = createEndings({ service, clock, log, move, settle, isAskable });

  async function withPage(payment: PaymentRecord): Promise<PaymentRecord> {
    if (payment.state !== 'created') return payment;
    if (!(await isAskable(payment))) return move(payment, { kind: 'page_refused' });
    const { id } = payment;
    const { fullName } = shownReceiver({
      id: payment.qrCodeId,
      userId: payment.receiverId,
      displayName: payment.displayName,
      username: payment.receiverUsername,
      fullName: payment.receiverName,
    });
    const paidUrl = paidUrlOf(payment);
    const texts = { title: `Tip for ${fullName}`, paidUrl, leftUrl: `${paidUrl}&left=1` };
    const begun = await service
      .begin(payment, texts, undoMs > 0 ? 'later' : 'now')
      .catch((error: unknown) => {
        if (error instanceof PaymentNotAllowed) tellPages(false);
        throw error;
      });
    if (begun.outcome === 'page') {
      tellPages(true);
      return move(payment, { kind: 'pending', checkout: begun });
    }
    log.warn({ payment: id }, 'the payment service has refused to take a payment');
    const refused = await move(payment, { kind: 'page_refused' });
    // The account of the receiver may not be able to take tips any more, which their tip page then says.
    const account = await accounts.refresh(payment.destination);
    if (account?.chargesEnabled) tellPages(false);
    return refused;
  }

  /** Gives the page that was paid to a payment without one, as a backup has it that was made while it began. */
  async function withPaidPage(payment: PaymentRecord, checkoutId: string): Promise<PaymentRecord> {
    if (payment.state !== 'created' || !(await isAskable(payment))) return payment;
    // Nobody pays on it again, and where it led back to says what became of it.
    return move(payment, { kind: 'pending', checkout: { id: checkoutId, url: paidUrlOf(payment) } });
  }

  async function hear(payment: PaymentRecord, state: CheckoutState): Promise<PaymentRecord> {
    switch (state.kind) {
      case 'open':
        return payment;
      case 'expired':
      case 'failed':
        return move(payment, { kind: state.kind });
      case 'authorised':
      case 'paid': {
        const { id, amountCents, giverFeeCents } = payment;
        const { chargeId, chargedCents } = state;
        const dueCents = amountCents + giverFeeCents;
        if (chargedCents !== dueCents) {
          log.error({ payment: id, dueCents, chargedCents }, 'another sum was paid than was due');
          return payment;
        }
        const begun = await withPage(payment);
        const capturesAtMs = clock() + undoMs;
        const paid =
          state.kind === 'paid'
            ? await move(begun, { kind: 'succeeded', chargeId })
            : await move(begun, { kind: 'authorised', chargeId, capturesAtMs }, capturesAtMs);
        if (paid.chargeId === null)
          log.error({ payment: id, state: paid.state }, 'a payment was paid that had ended');
        return paid;
      }
    }
  }

  async function lookUp(payment: PaymentRecord): Promise<PaymentRecord> {
    // After a restore it may have been paid on a page that the list of pages names.
    const mayBePaid = payment.createdAtMs < startedAtMs && !deps.hasReadPages();
    if (payment.state === 'created' && mayBePaid) return payment;
    // A page that was never stored was shown to nobody, and the payment service may not find it.
    if (payment.state === 'created' && clock() >= payment.expiresAtMs)
      return move(payment, { kind: 'page_missing' });
    const begun = await withPage(payment);
    if (begun.state !== 'pending' || !begun.checkout) return begun;
    if (await isAskable(begun)) return hear(begun, await service.lookUp(begun.checkout.id));
    if (!isPageOver(begun, clock())) return begun;
    log.warn({ payment: begun.id }, 'a payment that began with other keys was given up');
    return move(begun, { kind: 'expired' });
  }

  /** Takes the step that is due, whichever that is. */
  async function takeDueStep(due: PaymentRecord): Promise<PaymentRecord> {
    // It was read before others of its batch were looked at, and its giver may have taken it back since.
    const payment = (await payments.findPayment({ id: due.id })) ?? due;
    if (payment.chargeId === null) return lookUp(payment);
    if (!(await isAskable(payment))) return payment;
    const now = payment.refund ? await finishRefund(payment) : payment;
    if (now.state === 'authorised') return capture(now);
    return isOwed(now) ? settle(now) : now;
  }

  return { isAskable, paidUrlOf, withPage, withPaidPage, hear, lookUp, takeDueStep, settle, finishRefund };
}

/** The last steps of a payment: its money is captured, given up or refunded. */
function createEndings(deps: {
  readonly service: PaymentService;
  readonly clock: Clock;
  readonly log: Logger;
  move(payment: PaymentRecord, to: PaymentMove): Promise<PaymentRecord>;
  settle(payment: PaymentRecord): Promise<PaymentRecord>;
  isAskable(payment: PaymentRecord): Promise<boolean>;
}) {
  const { service, clock, log, move, settle, isAskable } = deps;

  async function capture(payment: PaymentRecord): Promise<PaymentRecord> {
    const untilMs = (payment.capturesAtMs ?? 0) - clock();
    // A time beyond every undo window was set before the clock was turned back, and the hold lapses before it.
    if (untilMs > 0 && untilMs <= LATEST_LOOK_MS) return payment;
    if ((await service.capture(payment)) === 'captured')
      return move(payment, { kind: 'succeeded', chargeId: chargeOf(payment) });
    const cancelled = await move(payment, { kind: 'cancelled' });
    if (!cancelled.refund)
      log.warn({ payment: payment.id }, 'what a giver had authorised could not be captured any more');
    return cancelled;
  }

  /** Refunds a payment that was captured meanwhile. */
  async function cancel(payment: PaymentRecord): Promise<PaymentRecord> {
    if ((await service.cancel(payment)) === 'cancelled') return move(payment, { kind: 'cancelled' });
    return refund(await move(payment, { kind: 'succeeded', chargeId: chargeOf(payment) }));
  }

  async function refund(payment: PaymentRecord): Promise<PaymentRecord> {
    if (payment.state !== 'succeeded' || !payment.refund) return payment;
    const ended = { kind: 'refund_refused', askedAtMs: payment.refund.askedAtMs } as const;
    if (!mayRefundAll(payment)) return move(payment, ended);
    const outcome = await service.refund(payment);
    // Only the charge tells whether all of it went back: a dispute that nobody here knows of may have a part.
    const settled = outcome === 'refused' ? payment : await settle(payment);
    if (settled.state !== 'succeeded') return settled;
    // A refund of the rest is no reversal while a dispute may still be won, or when another refund has failed.
    if (outcome !== 'refunded') log.warn({ payment: payment.id }, 'the payment service has refused a refund');
    return move(settled, ended);
  }

  /** Gives up or refunds a payment whose refund was asked for. */
  async function finishRefund(payment: PaymentRecord): Promise<PaymentRecord> {
    if (!payment.refund || !(await isAskable(payment))) return payment;
    return payment.state === 'authorised' ? cancel(payment) : refund(payment);
  }

  return { capture, finishRefund };
}

function isOwed({ owedByReceiverCents, owedToReceiverCents }: PaymentRecord): boolean {
  return owedByReceiverCents > 0 || owedToReceiverCents > 0;
}
