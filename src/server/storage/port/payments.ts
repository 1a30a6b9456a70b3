/**
 * The part of the storage port that is about payments at a payment service: what became of each, and the accounts at which they
 * arrive. A payment and the ledger move together, in one step.
 */
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { PaidMode, PaymentState } from '#shared/payments.ts';
import type { TipParty } from '#shared/records.ts';
import type { CodeRefusal, GivenTip, NewReversal, TipRefusal, TransactionRecord } from './ledger.ts';

/** A payment that is to begin: the tip that it is of, and when its giver can pay no more. */
export interface NewPayment extends GivenTip {
  readonly paymentMode: PaidMode;
  readonly expiresAtMs: number;
}

/** A page of the payment service, on which a giver pays. */
export interface Checkout {
  readonly id: string;
  readonly url: string;
}

/** A payment, under the id of its tip. */
export interface PaymentRecord extends Omit<TransactionRecord, 'reversal' | 'paymentMode'> {
  readonly paymentMode: PaidMode;
  /** The receiver's account at the payment service. */
  readonly destination: string;
  readonly state: PaymentState;
  readonly changedAtMs: number;
  readonly expiresAtMs: number;
  /** Null while it is created, and where it ended without a page. */
  readonly checkout: Checkout | null;
  /** How the payment service names the charge; null until it succeeded. */
  readonly chargeId: string | null;
  /** A refund that was asked for, done or not; null when nobody asked, and for one that the payment service made by itself. */
  readonly refund: PaymentRefund | null;
  /** How often the payment service was asked since the payment changed last. */
  readonly lookCount: number;
}

export interface PaymentRefund {
  readonly askedAtMs: number;
  readonly askedBy: TipParty;
  readonly idempotencyKey: string | null;
}

export type BeginOutcome =
  | { readonly outcome: 'begun' | 'repeated'; readonly payment: PaymentRecord }
  /** The giver gave this tip under the same idempotency key, when no payment service was needed. */
  | { readonly outcome: 'recorded'; readonly transaction: TransactionRecord }
  | CodeRefusal
  | { readonly outcome: TipRefusal | 'not_payable' };

/** What is heard of a payment, from the payment service or from one of its two people. */
export type PaymentMove =
  | { readonly kind: 'pending'; readonly checkout: Checkout }
  | { readonly kind: 'succeeded'; readonly chargeId: string }
  | { readonly kind: 'failed' | 'expired' | 'refunded' }
  /** Of the refund that was asked for at that moment; a later one may be under way already. */
  | { readonly kind: 'refund_refused'; readonly askedAtMs: number };

/** What a payment is once it was moved, or as it stays because it had moved on. */
export interface MoveOutcome {
  readonly outcome: 'moved' | 'unchanged';
  readonly payment: PaymentRecord;
}

export type AskRefundOutcome =
  | { readonly outcome: 'asked' | 'repeated'; readonly payment: PaymentRecord }
  | { readonly outcome: 'unknown_transaction' | 'reversed_before' | 'too_late' };

/** A provider's account at the payment service. Test money and money go to different ones. */
export interface PayoutAccount {
  readonly userId: UserId;
  readonly paymentMode: PaidMode;
  /** How the payment service names it. */
  readonly accountId: string;
  /** Whether tips can be paid to it. */
  readonly chargesEnabled: boolean;
  /** What the payment service asks its owner for, as it names that. */
  readonly missing: readonly string[];
}

/** By what a payment is found. */
export type PaymentName =
  | { readonly id: TransactionId }
  | { readonly checkoutId: string }
  | { readonly chargeId: string };

/** Payments. Every method is one atomic step, as in all of the port. */
export interface Payments {
  /**
   * Begins a payment, unless something stands against its tip, or its receiver cannot be paid. The same giver and idempotency key
   * give the same payment, however often and however concurrently asked.
   * @param lookAtMs when to ask the payment service for it, should nothing be heard of it.
   */
  beginPayment(payment: NewPayment, lookAtMs: number): Promise<BeginOutcome>;
  /**
   * Moves a payment on, and writes to the ledger what that means: the tip when it succeeded, its reversal when it is refunded. What
   * comes twice, or too late, changes nothing.
   * @param lookAtMs when to ask the payment service for it, should nothing more be heard; of no meaning once nothing is open.
   * @returns null when there is no such payment.
   */
  movePayment(
    id: TransactionId,
    move: PaymentMove,
    nowMs: number,
    lookAtMs: number,
  ): Promise<MoveOutcome | null>;
  /** Notes that one of its two people wants a payment refunded, if they may, so that it is done even if this process ends. */
  askForRefund(reversal: NewReversal, lookAtMs: number): Promise<AskRefundOutcome>;
  findPayment(name: PaymentName): Promise<PaymentRecord | null>;
  /**
   * The payments that an account began, whatever became of them, the newest first, at most so many.
   * @param before the payment after which the listing goes on; null from the newest.
   */
  listPayments(
    giverId: UserId,
    before: Pick<PaymentRecord, 'id' | 'createdAtMs'> | null,
    atMost: number,
  ): Promise<PaymentRecord[]>;
  /**
   * The payments of which nothing was heard until `nowMs`, at most so many, those that have waited longest first. Each is looked at
   * again after a pause that grows with how often it was, so that no two processes ask for the same.
   */
  takeOpenPayments(nowMs: number, atMost: number): Promise<PaymentRecord[]>;

  /**
   * Saves what the payment service tells of a provider's account, of which there is one for each mode. Of whoever is closed for good
   * by then nothing is saved.
   */
  savePayoutAccount(account: PayoutAccount, nowMs: number): Promise<void>;
  findPayoutAccount(
    name: { readonly userId: UserId; readonly paymentMode: PaidMode } | { readonly accountId: string },
  ): Promise<PayoutAccount | null>;
  listPayoutAccounts(userId: UserId): Promise<PayoutAccount[]>;

  /** Remembers a notice of the payment service. @returns whether it was not known before. */
  rememberWebhookEvent(id: string, nowMs: number): Promise<boolean>;
  hasWebhookEvent(id: string): Promise<boolean>;
  /** Deletes notices that were remembered before `beforeMs`, at most so many. @returns how many. */
  forgetWebhookEvents(beforeMs: number, atMost: number): Promise<number>;
}
