/** The storage port for what operators look up, whoever it belongs to. Nothing here reads a message. */
import type { ServiceCategory } from '#shared/categories.ts';
import type { QrCodeId, TransactionId, UserId } from '#shared/ids.ts';
import type { Cents } from '#shared/money.ts';
import type { AdjustmentKind, PaidMode, PaymentMode, PaymentState } from '#shared/payments.ts';
import type { QrCodeStatus } from '#shared/qr-codes.ts';
import type { Act } from './audit.ts';
import type { CodeRefusal } from './codes.ts';
import type { TransactionRecord } from './ledger.ts';
import type { PaymentName, PaymentRecord } from './payments.ts';
import type { PersonNames } from './people.ts';

export interface FoundTip {
  readonly giver: PersonNames | null;
  readonly receiver: PersonNames;
  /** Null for a payment that has not become a tip. */
  readonly tip: TransactionRecord | null;
  /** Null for a simulated tip. */
  readonly payment: PaymentRecord | null;
}

export interface FoundCode {
  readonly id: QrCodeId;
  readonly status: QrCodeStatus;
  readonly serviceCategory: ServiceCategory;
  readonly displayName: string | null;
  readonly createdAtMs: number;
  readonly owner: PersonNames;
}

/** A payment whose money went back without anybody here having asked for it. */
export interface ReturnedPayment {
  readonly id: TransactionId;
  /** `cancelled` when its money was never taken. */
  readonly state: PaymentState;
  readonly paymentMode: PaymentMode;
  /** What its giver got back by the reversal. */
  readonly paidCents: Cents;
  readonly reversedAtMs: number;
}

/** A change of a tip's money that nobody here asked for. Sums are negative where money went back. */
export interface ReturnedMoney {
  readonly id: TransactionId;
  readonly paymentMode: PaymentMode;
  readonly kind: AdjustmentKind;
  /** The giver's side: amount and fee. */
  readonly paidCents: Cents;
  readonly atMs: number;
}

/** A dispute that is neither won nor lost. */
export interface OpenDispute {
  readonly id: TransactionId;
  readonly paymentMode: PaidMode;
  readonly platform: string | null;
  readonly chargeId: string;
  readonly source: string;
  /** What the giver's bank took. */
  readonly paidCents: Cents;
  readonly openedAtMs: number;
}

export interface PaymentSum {
  readonly count: number;
  readonly cents: Cents;
}

export interface PaymentSigns {
  readonly owedByReceivers: PaymentSum;
  readonly owedToGivers: PaymentSum;
  readonly owedToReceivers: PaymentSum;
  /** Authorised payments that were to be captured before `capturesBeforeMs`. */
  readonly uncaptured: number;
  /** Accounts that the payment service has restricted, of receivers who have been paid. */
  readonly restricted: number;
  /** When the newest tip of the period was paid, among the newest 1,000 tips; null without one. */
  readonly newestPaidMs: number | null;
}

/** The sums of tips, reversals or adjustments of a quarter of an hour and a way of payment. */
export interface QuarterFees {
  readonly startMs: number;
  readonly paymentMode: PaymentMode;
  readonly count: number;
  /** The sum of amounts and giver fees: what givers paid, or got back. */
  readonly paidCents: Cents;
  readonly giverFeeCents: Cents;
  readonly receiverFeeCents: Cents;
}

export interface FeeStep {
  /** In no order; a quarter may come again in a later step. */
  readonly quarters: readonly QuarterFees[];
  /** Where the next step begins; null when all that was written by now is counted. */
  readonly next: number | null;
}

export interface Operations {
  /** Null when neither a tip nor a payment has this name. */
  findTip(name: PaymentName): Promise<FoundTip | null>;
  findCode(id: QrCodeId): Promise<FoundCode | null>;
  /** Retires a code but not its service, so that the owner may make a new code. */
  stopCode(
    owner: UserId,
    id: QrCodeId,
    nowMs: number,
    act: Act,
  ): Promise<{ readonly outcome: 'stopped' } | CodeRefusal>;
  /** Payments expired without a known end, or with a refund or capture that is long overdue, oldest first. */
  listStuckPayments(nowMs: number, atMost: number): Promise<PaymentRecord[]>;
  /** Payments that the service refunded by itself or that were disputed, among the newest 1,000 reversals. */
  listReturnedPayments(atMost: number): Promise<ReturnedPayment[]>;
  /** The newest changes of paid tips that are no reversals, newest first, at most `atMost`. */
  listReturnedMoney(atMost: number): Promise<ReturnedMoney[]>;
  /** Newest first, at most `atMost`: those that were opened last can still be answered. */
  listOpenDisputes(atMost: number): Promise<OpenDispute[]>;
  /** Tips whose money is held on the giver's card; the sum is what their givers pay. */
  sumArriving(): Promise<PaymentSum>;
  readPaymentSigns(of: {
    readonly paymentMode: PaidMode;
    readonly capturesBeforeMs: number;
    readonly paidFromMs: number;
    readonly paidUntilMs: number;
  }): Promise<PaymentSigns>;
  /**
   * Sums up a bounded number of tips, of reversals with what they took back, or of adjustments with their signs, in the
   * order of the ledger. @param after the `next` of the step before; 0 for the first.
   */
  sumFees(of: 'tips' | 'reversals' | 'adjustments', after: number): Promise<FeeStep>;
}
