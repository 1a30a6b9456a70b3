/**
 * How tips are paid: the port that the chapter of tips sees. Simulated, a tip is completed as soon as it is given; at a payment
 * service, its giver pays it on a page of that service.
 */
import type { GivenTip, NewReversal, RecordOutcome, ReverseOutcome } from '#server/storage/port/ledger.ts';
import type { BeginOutcome, PaymentRecord } from '#server/storage/port/payments.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { PaymentMode } from '#shared/payments.ts';

/** A tip that is to be paid, however that is done. */
export type UnpaidTip = Omit<GivenTip, 'paymentMode'>;

export interface TipPayments {
  readonly mode: PaymentMode;
  /** Whether tips can be paid to a provider, for a service. */
  isPayable(provider: UserId, category: ServiceCategory): Promise<boolean>;
  /**
   * Pays a tip, or makes the page on which its giver pays. The same giver and idempotency key give the same tip, and the same page.
   * @throws AppError `payment_unavailable` when the payment service does not answer: nothing was charged.
   */
  begin(tip: UnpaidTip): Promise<RecordOutcome | BeginOutcome>;
  /**
   * A payment that the account began, or a guest when there is none. One that is open is asked for at the payment service, now and then.
   * @returns null when there is none.
   */
  find(giver: UserId | null, id: TransactionId): Promise<PaymentRecord | null>;
  /**
   * Gives up a payment, so that nobody can pay it any more. One that was paid meanwhile stays paid.
   * @returns what became of it; null when the account began none of this id.
   * @throws AppError `payment_unavailable` when the payment service does not answer.
   */
  giveUp(giver: UserId | null, id: TransactionId): Promise<PaymentRecord | null>;
  /**
   * Reverses a tip, and gives back what was paid.
   * @throws AppError `payment_unavailable` when the payment service does not answer: it will be asked again.
   */
  refund(reversal: NewReversal): Promise<ReverseOutcome | { readonly outcome: 'refused' }>;
  /**
   * Takes a webhook event of the payment service.
   * @throws AppError `invalid_notice`; `payment_unavailable` when it cannot be dealt with yet, and should come again.
   */
  takeWebhookEvent(body: Uint8Array, signature: string): Promise<void>;
  /** Asks the payment service for what nothing was heard of; to be called every minute. */
  sweep(): Promise<void>;
}
