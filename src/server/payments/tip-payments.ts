/**
 * The port by which tips are paid. A simulated tip is completed at once; with a payment service, the giver
 * pays on its page.
 */
import type {
  GivenTip,
  NewReversal,
  OperatorReversal,
  RecordOutcome,
  ReverseOutcome,
} from '#server/storage/port/ledger.ts';
import type { BeginOutcome, PaymentRecord } from '#server/storage/port/payments.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { PaymentMode } from '#shared/payments.ts';

export type UnpaidTip = Omit<GivenTip, 'paymentMode'>;

export interface TipPayments {
  readonly mode: PaymentMode;
  /**
   * Whether tips can be taken; null while nobody can tell, because the payment service has not answered since
   * the start.
   */
  isPayable(provider: UserId, category: ServiceCategory): Promise<boolean | null>;
  /**
   * Pays a tip, or makes the page on which its giver pays. The same giver and idempotency key give the same
   * tip and page.
   * @throws AppError `payment_unavailable` when the payment service does not answer: nothing was charged.
   */
  begin(tip: UnpaidTip): Promise<RecordOutcome | BeginOutcome>;
  /**
   * Finds a payment of the account, or of a guest when `giver` is null; an open one may be looked up at the
   * payment service.
   * @returns null when there is none.
   */
  find(giver: UserId | null, id: TransactionId): Promise<PaymentRecord | null>;
  /**
   * Cancels a payment, so that nobody can pay it any more; a paid one stays paid.
   * @returns its new state; null when the account began none of this id.
   * @throws AppError `payment_unavailable` when the payment service does not answer.
   */
  giveUp(giver: UserId | null, id: TransactionId): Promise<PaymentRecord | null>;
  /**
   * Reverses a tip, and returns what was paid.
   * @throws AppError `payment_unavailable` when the payment service does not answer: the refund will be
   *   retried.
   */
  refund(reversal: NewReversal | OperatorReversal): Promise<ReverseOutcome | { readonly outcome: 'refused' }>;
  /**
   * Handles a webhook event.
   * @throws AppError `invalid_notice`; `payment_unavailable` when it should be delivered again.
   */
  takeWebhookEvent(body: Uint8Array, signature: string): Promise<void>;
  /**
   * Looks up payments without a webhook event. Call it every minute.
   * @param meanwhile is called each minute while it takes longer, as with thousands of events after a restore.
   */
  sweep(meanwhile: () => Promise<void>): Promise<void>;
}
