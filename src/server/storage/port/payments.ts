/** The storage port for payments and payout accounts. A payment and the ledger change in one atomic step. */
import type { ServiceCategory } from '#shared/categories.ts';
import type { DebtKind } from '#shared/console/transactions.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { Cents } from '#shared/money.ts';
import type { PaidMode, PaymentState } from '#shared/payments.ts';
import type { TipParty } from '#shared/records.ts';
import type { Act } from './audit.ts';
import type { CodeRefusal } from './codes.ts';
import type {
  Adjustment,
  GivenTip,
  NewReversal,
  OperatorReversal,
  TipRefusal,
  TransactionRecord,
} from './ledger.ts';

/** A payment that is to begin: its tip, and the time after which it cannot be paid. */
export interface NewPayment extends GivenTip {
  readonly paymentMode: PaidMode;
  readonly platform: string;
  readonly expiresAtMs: number;
}

export interface Checkout {
  readonly id: string;
  readonly url: string;
}

export interface PaymentRecord
  extends Omit<TransactionRecord, 'reversal' | 'refundAskedAtMs' | 'paymentMode'> {
  readonly paymentMode: PaidMode;
  readonly idempotencyKey: string | null;
  /** The operator's account at the payment service; null for payments from before this was stored. */
  readonly platform: string | null;
  readonly destination: string;
  readonly state: PaymentState;
  readonly changedAtMs: number;
  readonly expiresAtMs: number;
  /** Null before the page was made, and for a payment that ended without one. */
  readonly checkout: Checkout | null;
  /** The service's id of the charge; null until the payment succeeded. */
  readonly chargeId: string | null;
  /** A refund that somebody here asked for, done or not; null also for refunds made at the payment service. */
  readonly refund: PaymentRefund | null;
  readonly lookCount: number;
  /** Returned money that the receiver still has, in cents before fees; it is taken back until this is 0. */
  readonly owedByReceiverCents: Cents;
  /** Refunds that did not reach the giver and that the operator has. */
  readonly owedToGiverCents: Cents;
  /** Money of won disputes that the receiver lacks, before fees; it is transferred until this is 0. */
  readonly owedToReceiverCents: Cents;
  /** What an operator has written off; `owedByReceiverCents` does not contain it any more. */
  readonly settledByReceiverCents: Cents;
  /** What an operator has paid in another way; `owedToGiverCents` does not contain it any more. */
  readonly settledToGiverCents: Cents;
  /** What an operator has paid in another way; `owedToReceiverCents` does not contain it any more. */
  readonly settledToReceiverCents: Cents;
  /** How often it was refused to take from the receiver, and to give to them. Each attempt has a key of its own. */
  readonly refusedTakeBacks: number;
  readonly refusedGiveBacks: number;
}

/** The money of a charge at one moment, by the payment service. Sums contain the giver's fee. */
export interface ChargeState {
  readonly chargeId: string;
  readonly transactionId: string | null;
  /** `cancelled`: the authorisation was given up or has lapsed, and nobody pays. */
  readonly state: 'authorised' | 'captured' | 'cancelled';
  readonly chargedCents: number;
  /**
   * Set when less was captured than held: the captured cents, and the receiver's part of them after whole fees. The
   * other fields describe the whole charge, with the rest as its first refund and as reversed from its transfer.
   */
  readonly partlyCaptured?: { readonly cents: number; readonly netCents: number };
  /** Newest last. */
  readonly refunds: readonly {
    readonly id: string;
    readonly cents: number;
    readonly hasFailed: boolean;
    readonly createdAtMs: number;
  }[];
  /** Without inquiries, which move no money. */
  readonly disputes: readonly {
    readonly id: string;
    readonly cents: number;
    readonly state: 'open' | 'won' | 'lost';
    readonly openedAtMs: number;
    /** Until when the operator may answer; null once they have, and when it is over. */
    readonly answerByMs: number | null;
    /** What was transferred to the receiver again in all, whatever became of that since. */
    readonly givenBackCents: number;
  }[];
  /** The transfer to the receiver before fees, and how much of it is reversed now; null without one. */
  readonly transfer: {
    readonly cents: number;
    readonly reversedCents: number;
    /** What is not reversed though nobody can take it: after fees, rounded parts have left no cent of it. */
    readonly unmovableCents?: number;
    /** The currency of the transfer where it is not that of the charge; the cents above are worked out then. */
    readonly otherCurrency?: string;
  } | null;
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
  | { readonly outcome: 'repeated'; readonly transaction: TransactionRecord }
  | CodeRefusal
  | { readonly outcome: TipRefusal | 'not_payable' };

/** News of a payment, from the payment service or from one of its two people. */
export type PaymentMove =
  | { readonly kind: 'pending'; readonly checkout: Checkout }
  /** The tip enters the ledger with the first of these two. */
  | { readonly kind: 'authorised'; readonly chargeId: string; readonly capturesAtMs: number }
  | { readonly kind: 'succeeded'; readonly chargeId: string }
  /** The authorisation was given up or has lapsed: the tip is reversed. The act of an operator is noted with it. */
  | { readonly kind: 'cancelled'; readonly by?: OperatorReversal }
  /** What became of the page: nobody can pay on it any more. */
  | { readonly kind: 'failed' | 'expired' }
  /** Decided when the payment had so many adjustments; another since then may tell of a refund that has failed. */
  | { readonly kind: 'refunded'; readonly adjustmentCount: number }
  /**
   * There will be no page, or none was stored in time. Neither ends a payment whose page another request has stored
   * meanwhile: somebody may be paying there.
   */
  | { readonly kind: 'page_refused' | 'page_missing' }
  /** Names a request that was refused, or refunded the rest after a dispute: another may be under way. */
  | { readonly kind: 'refund_refused'; readonly askedAtMs: number };

/** The payment after a move, or unchanged because it had moved on. */
export interface MoveOutcome {
  readonly outcome: 'moved' | 'unchanged';
  readonly payment: PaymentRecord;
  /** What the move has entered in the ledger; undefined for nothing, and for a capture that is repeated. */
  readonly entered?: 'tip' | 'capture' | 'reversal' | undefined;
}

export type AskRefundOutcome =
  | { readonly outcome: 'asked' | 'repeated'; readonly payment: PaymentRecord }
  | { readonly outcome: 'unknown_transaction' | 'reversed_before' | 'too_late' };

export interface FoundPayment extends Omit<NewPayment, 'giverMessage' | 'termsRefusal' | 'isHeld'> {
  readonly receiverId: UserId;
  readonly destination: string;
  readonly checkout: Checkout;
}

/** A provider's account at the payment service, one for each account of the operator. */
export interface PayoutAccount {
  readonly userId: UserId;
  readonly paymentMode: PaidMode;
  readonly platform: string | null;
  /** ISO 3166-1 alpha-2; null when it is not known. */
  readonly country: string | null;
  readonly accountId: string;
  readonly chargesEnabled: boolean;
  readonly payoutsEnabled: boolean;
  /** What the payment service asks of the owner, in its own names. */
  readonly missing: readonly string[];
  /** Why the payment service has restricted it, in its own name; null when it has not. */
  readonly disabledReason: string | null;
  /** When the payment service last told of it. */
  readonly readAtMs: number;
}

export type PaymentName =
  | { readonly id: TransactionId }
  | { readonly checkoutId: string }
  | { readonly chargeId: string };

export interface Payments {
  /** Whether any process has heard of a webhook event since. */
  hasHeardSince(fromMs: number): Promise<boolean>;
  hasAny(): Promise<boolean>;
  /**
   * Begins a payment unless its tip is refused or its receiver cannot be paid. The same giver and idempotency key give
   * the same payment, also concurrently. @param lookAtMs when the sweep asks the payment service.
   */
  beginPayment(payment: NewPayment, lookAtMs: number): Promise<BeginOutcome>;
  /**
   * Moves a payment on and writes its tip or reversal to the ledger. Repeated and late moves change nothing.
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
   * Enters the adjustments that the ledger lacks, each once by its kind and source, and the debts that remain.
   * @param change decided for the payment as `known`. Nothing changes when the payment has another adjustment, state
   * or settled debt since then.
   */
  adjustPayment(
    id: TransactionId,
    change: Pick<
      PaymentRecord,
      'owedByReceiverCents' | 'owedToGiverCents' | 'owedToReceiverCents' | 'settledByReceiverCents'
    > & {
      readonly known: Pick<
        PaymentRecord,
        | 'state'
        | 'adjustments'
        | 'owedByReceiverCents'
        | 'owedToGiverCents'
        | 'owedToReceiverCents'
        | 'settledByReceiverCents'
        | 'settledToGiverCents'
        | 'settledToReceiverCents'
      >;
      readonly adjustments: readonly Adjustment[];
    },
    nowMs: number,
    lookAtMs: number,
  ): Promise<MoveOutcome | null>;
  /** Counts a refusal once, however many processes were refused. @param payment as it was when this was asked for. */
  noteRefusal(
    payment: Pick<PaymentRecord, 'id' | 'refusedTakeBacks' | 'refusedGiveBacks'>,
    of: 'take_back' | 'give_back',
  ): Promise<void>;
  /**
   * Enters a payment that the payment service knows and the database does not, as after a restore: pending, with
   * its page. Nothing is entered when its code, one of its people or its terms are unknown, or it is known already.
   */
  enterFoundPayment(payment: FoundPayment, lookAtMs: number): Promise<PaymentRecord | null>;
  newestPaymentMs(): Promise<number | null>;
  /**
   * Keeps where the reading of paid pages has to begin, until `endReading`.
   * @returns the earlier one when another process, or one that ended, has kept it. What was kept stays: an earlier
   * time is for this reading alone.
   */
  beginReading(fromMs: number): Promise<number>;
  endReading(): Promise<void>;
  /** Payments in the ledger that began in a period, oldest first; at most `atMost`, after the one named. */
  listPaidPayments(
    period: { readonly fromMs: number; readonly untilMs: number },
    after: Pick<PaymentRecord, 'id' | 'createdAtMs'> | null,
    atMost: number,
  ): Promise<PaymentRecord[]>;
  /** Payments with a debt, oldest first, at most `atMost`; those of one receiver's tips when it is named. */
  listDebts(atMost: number, receiverId?: UserId): Promise<PaymentRecord[]>;
  /**
   * Ends a debt; no money moves. @param seenCents another sum is not ended; undefined for any.
   * @returns false when nothing of it is owed, or another sum.
   */
  settleDebt(id: TransactionId, debt: DebtKind, nowMs: number, act: Act, seenCents?: Cents): Promise<boolean>;
  /** The sums of the receiver's authorised, not yet captured tips of a period, and of a service. */
  readArriving(
    receiverId: UserId,
    of: {
      /** The time of the tips, not of their capture. */
      readonly fromMs: number;
      readonly untilMs: number;
      readonly serviceCategory: ServiceCategory | null;
    },
  ): Promise<{ readonly count: number; readonly netCents: Cents }>;
  /** Stores a refund request, to be carried out even if this process ends. `repeated` for one that joins another. */
  askForRefund(reversal: NewReversal | OperatorReversal, lookAtMs: number): Promise<AskRefundOutcome>;
  findPayment(name: PaymentName): Promise<PaymentRecord | null>;
  /** Payments that an account began, newest first, at most `atMost`, after `before`. */
  listPayments(
    giverId: UserId,
    before: Pick<PaymentRecord, 'id' | 'createdAtMs'> | null,
    atMost: number,
  ): Promise<PaymentRecord[]>;
  /** Takes due payments, longest waiting first; each is then due later, so that no two processes ask for the same. */
  takeOpenPayments(nowMs: number, atMost: number): Promise<PaymentRecord[]>;
  /** Payments that nobody has paid, and of which nothing was heard since `heardBeforeMs`; longest waiting first. */
  listUnpaid(heardBeforeMs: number, atMost: number): Promise<Pick<PaymentRecord, 'id' | 'state'>[]>;

  /**
   * Saves a provider's account at the payment service, one for each mode and platform. It takes the place of the
   * same account from before platforms were stored. Nothing is saved for a closed account.
   */
  savePayoutAccount(account: PayoutAccount, nowMs: number): Promise<void>;
  /** The account on this platform; else one from before platforms were stored, which may be on any. */
  findPayoutAccount(
    name:
      | { readonly userId: UserId; readonly paymentMode: PaidMode; readonly platform: string }
      | { readonly accountId: string },
  ): Promise<PayoutAccount | null>;
  /** Accounts last read before `beforeMs`, longest ago first, with those from before platforms were stored. */
  listStalePayoutAccounts(
    of: { readonly paymentMode: PaidMode; readonly platform: string },
    beforeMs: number,
    atMost: number,
  ): Promise<PayoutAccount[]>;
  listPayoutAccounts(userId: UserId): Promise<PayoutAccount[]>;

  /** @returns whether the webhook event was unknown before. */
  rememberWebhookEvent(id: string, nowMs: number): Promise<boolean>;
  hasWebhookEvent(id: string): Promise<boolean>;
  forgetWebhookEvents(beforeMs: number, atMost: number): Promise<number>;
}
