/** The port by which tips are paid: at once when simulated, else by the giver on a page of the payment service. */
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
  /** Whether a payment is of the present keys, as far as that is known. */
  isOfKeys(payment: Pick<PaymentRecord, 'paymentMode' | 'platform'>): boolean;
  /** In ms, from when a payment of other keys can be ended as never charged; null for one that is not held. */
  endsFromMs(payment: Pick<PaymentRecord, 'state' | 'capturesAtMs'>): number | null;
  /** Null while nobody can tell, because the payment service has not answered since the start. */
  isPayable(provider: UserId, category: ServiceCategory): Promise<boolean | null>;
  /**
   * The same giver and idempotency key give the same tip and page.
   * @throws AppError `payment_unavailable` when the payment service does not answer: nothing was charged.
   */
  begin(tip: UnpaidTip): Promise<RecordOutcome | BeginOutcome>;
  /** A payment of the account, or of a guest when `giver` is null; an open one may be looked up at the service. */
  find(giver: UserId | null, id: TransactionId): Promise<PaymentRecord | null>;
  /**
   * Cancels a payment; a paid one stays paid. @returns its new state; null when the account began none of this id.
   * @throws AppError `payment_unavailable` when the payment service does not answer.
   */
  giveUp(giver: UserId | null, id: TransactionId): Promise<PaymentRecord | null>;
  /**
   * @throws AppError `payment_unavailable` when the payment service does not answer: the refund will be retried;
   *   `not_refundable` when it refuses to; `other_keys` for what was paid with keys that the server no longer has, and
   *   cannot be ended.
   */
  refund(reversal: NewReversal | OperatorReversal): Promise<ReverseOutcome>;
  /** @throws AppError `invalid_notice`; `payment_unavailable` when it should be delivered again. */
  takeWebhookEvent(body: Uint8Array, signature: string): Promise<void>;
  /** Call it every minute. @param meanwhile is called each minute while it takes longer, as after a restore. */
  sweep(meanwhile: () => Promise<void>): Promise<void>;
}
