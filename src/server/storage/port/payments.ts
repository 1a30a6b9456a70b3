/**
 * The storage port for payments at a payment service and the providers' accounts there. A payment and the
 * ledger change in one atomic step.
 */
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { PaidMode, PaymentState } from '#shared/payments.ts';
import type { TipParty } from '#shared/records.ts';
import type {
  CodeRefusal,
  GivenTip,
  NewReversal,
  OperatorReversal,
  TipRefusal,
  TransactionRecord,
} from './ledger.ts';

/** A payment that is to begin: its tip, and the time after which it cannot be paid. */
export interface NewPayment extends GivenTip {
  readonly paymentMode: PaidMode;
  readonly expiresAtMs: number;
}

export interface Checkout {
  readonly id: string;
  readonly url: string;
}

export interface PaymentRecord extends Omit<TransactionRecord, 'reversal' | 'paymentMode'> {
  readonly paymentMode: PaidMode;
  readonly destination: string;
  readonly state: PaymentState;
  readonly changedAtMs: number;
  readonly expiresAtMs: number;
  /** Null before the page was made, and for a payment that ended without one. */
  readonly checkout: Checkout | null;
  /** The service's id of the charge; null until the payment succeeded. */
  readonly chargeId: string | null;
  /**
   * A refund that one of the two people or an operator asked for, done or not; null without one, and for refunds
   * made at the payment service.
   */
  readonly refund: PaymentRefund | null;
  readonly lookCount: number;
}

export interface PaymentRefund {
  readonly askedAtMs: number;
  /** Null for an operator. */
  readonly askedBy: TipParty | null;
  readonly idempotencyKey: string | null;
}

export type BeginOutcome =
  | { readonly outcome: 'begun' | 'repeated'; readonly payment: PaymentRecord }
  /** The same idempotency key was used before, when tips needed no payment service. */
  | { readonly outcome: 'recorded'; readonly transaction: TransactionRecord }
  | CodeRefusal
  | { readonly outcome: TipRefusal | 'not_payable' };

/** News of a payment, from the payment service or from one of its two people. */
export type PaymentMove =
  | { readonly kind: 'pending'; readonly checkout: Checkout }
  | { readonly kind: 'succeeded'; readonly chargeId: string }
  | { readonly kind: 'failed' | 'expired' | 'refunded' }
  /** Ends no payment whose page another request has stored meanwhile: somebody may be paying there. */
  | { readonly kind: 'page_refused' }
  /** Names the refund request that was refused, because a later one may be under way. */
  | { readonly kind: 'refund_refused'; readonly askedAtMs: number };

/** The payment after a move, or unchanged because it had moved on. */
export interface MoveOutcome {
  readonly outcome: 'moved' | 'unchanged';
  readonly payment: PaymentRecord;
}

export type AskRefundOutcome =
  | { readonly outcome: 'asked' | 'repeated'; readonly payment: PaymentRecord }
  | { readonly outcome: 'unknown_transaction' | 'reversed_before' | 'too_late' };

/** A provider's account at the payment service, one for test money and one for real money. */
export interface PayoutAccount {
  readonly userId: UserId;
  readonly paymentMode: PaidMode;
  /** The payment service's id of the account. */
  readonly accountId: string;
  readonly chargesEnabled: boolean;
  /** What the payment service asks of the owner, in its own names. */
  readonly missing: readonly string[];
}

export type PaymentName =
  | { readonly id: TransactionId }
  | { readonly checkoutId: string }
  | { readonly chargeId: string };

export interface Payments {
  /** Whether any process has heard of a webhook event since. */
  hasHeardSince(fromMs: number): Promise<boolean>;
  /** Whether any payment was ever begun. */
  hasAny(): Promise<boolean>;
  /**
   * Begins a payment unless its tip is refused or its receiver cannot be paid. The same giver and idempotency
   * key give the same payment, however often and concurrently.
   * @param lookAtMs when the sweep asks the payment service if nothing was heard.
   */
  beginPayment(payment: NewPayment, lookAtMs: number): Promise<BeginOutcome>;
  /**
   * Moves a payment on and writes its tip to the ledger when it succeeded, its reversal when it was refunded.
   * Repeated and late moves change nothing.
   * @param lookAtMs when the sweep asks the payment service next; without meaning once nothing is open.
   * @returns null for an unknown payment.
   */
  movePayment(
    id: TransactionId,
    move: PaymentMove,
    nowMs: number,
    lookAtMs: number,
  ): Promise<MoveOutcome | null>;
  /**
   * Stores a refund request, so that it is carried out even if this process ends.
   */
  askForRefund(reversal: NewReversal | OperatorReversal, lookAtMs: number): Promise<AskRefundOutcome>;
  findPayment(name: PaymentName): Promise<PaymentRecord | null>;
  /**
   * Payments that an account began, newest first, at most `atMost`.
   * @param before the last payment of the page before; null for the first page.
   */
  listPayments(
    giverId: UserId,
    before: Pick<PaymentRecord, 'id' | 'createdAtMs'> | null,
    atMost: number,
  ): Promise<PaymentRecord[]>;
  /**
   * Takes the payments that are due to be looked at, longest waiting first, at most `atMost`. Each is due
   * again after a pause that grows with its number of looks, so that two processes never ask for the same
   * one.
   */
  takeOpenPayments(nowMs: number, atMost: number): Promise<PaymentRecord[]>;

  /**
   * Saves a provider's account at the payment service, one for each mode. Nothing is saved for a closed
   * account.
   */
  savePayoutAccount(account: PayoutAccount, nowMs: number): Promise<void>;
  findPayoutAccount(
    name: { readonly userId: UserId; readonly paymentMode: PaidMode } | { readonly accountId: string },
  ): Promise<PayoutAccount | null>;
  listPayoutAccounts(userId: UserId): Promise<PayoutAccount[]>;

  /** @returns whether the webhook event was unknown before. */
  rememberWebhookEvent(id: string, nowMs: number): Promise<boolean>;
  hasWebhookEvent(id: string): Promise<boolean>;
  /** Deletes webhook events received before `beforeMs`, at most `atMost`. @returns how many. */
  forgetWebhookEvents(beforeMs: number, atMost: number): Promise<number>;
}
