/** The storage port for the ledger: recording, reversing and reading tips. */
import type { ServiceCategory } from '#shared/categories.ts';
import type { QrCodeId, TransactionId, UserId } from '#shared/ids.ts';
import type { BasisPoints, Cents } from '#shared/money.ts';
import type { AdjustmentKind, PaymentMode } from '#shared/payments.ts';
import type { TipDirection, TipParty } from '#shared/records.ts';
import type { Act } from './audit.ts';
import type { CodeRefusal } from './codes.ts';
import type { OfferedMessage } from './messages.ts';

export interface NewTransaction {
  readonly id: TransactionId;
  readonly giverId: UserId | null;
  readonly qrCodeId: QrCodeId;
  readonly serviceCategory: ServiceCategory;
  readonly amountCents: Cents;
  readonly giverFeeCents: Cents;
  readonly receiverFeeCents: Cents;
  readonly netAmountCents: Cents;
  readonly giverFeeRate: BasisPoints;
  readonly receiverFeeRate: BasisPoints;
  readonly createdAtMs: number;
  readonly paymentMode: PaymentMode;
  /** The version of the terms; 0 for the specified ones. */
  readonly termsVersion: number;
}

export interface Reversal {
  readonly createdAtMs: number;
  /** Null when neither of the two people asked for it, and for reversals from before people could ask. */
  readonly reversedBy: TipParty | null;
}

/** A change of a paid tip's money, in part or at the payment service. Sums are negative where money goes back. */
export interface Adjustment {
  readonly kind: AdjustmentKind;
  /** The payment service's id of the refund, dispute or reversal; with the kind it is unique for a tip. */
  readonly source: string;
  /** The change of the amount, which the entry in the giver's account moves. */
  readonly amountCents: Cents;
  readonly giverFeeCents: Cents;
  readonly receiverFeeCents: Cents;
  /** The change that the entry in the receiver's account moves. */
  readonly netAmountCents: Cents;
  readonly createdAtMs: number;
}

/** Only the storage keeps a capture as an adjustment: it moves no cents. */
export type StoredAdjustmentKind = AdjustmentKind | 'capture';

export type TermsRefusal = 'terms_changed' | 'amount_out_of_bounds';

export interface GivenTip extends NewTransaction {
  /** The key that the id was made of; null without one, and for a guest. Tips of earlier versions have another id. */
  readonly idempotencyKey: string | null;
  readonly giverMessage?: OfferedMessage | undefined;
  /** Refuses the tip unless it repeats an earlier one. */
  readonly termsRefusal?: TermsRefusal | undefined;
  /** During maintenance: only a tip that was given before is answered. */
  readonly isHeld?: true;
}

export interface TransactionRecord extends NewTransaction {
  readonly receiverId: UserId;
  readonly reversal: Reversal | null;
  /** Oldest first. A reversal takes back what they have left. */
  readonly adjustments: readonly Adjustment[];
  /**
   * When the money that is held on the giver's card is captured; null once it was, and for tips that are
   * charged at once. A tip whose payment was cancelled keeps it.
   */
  readonly capturesAtMs: number | null;
  /** Since when a refund waits for the payment service; null where none does. */
  readonly refundAskedAtMs: number | null;
  /** What refunds that failed have not brought to the giver, before fees; nobody owes it once it was paid otherwise. */
  readonly owedToGiverCents: Cents;
  /** The present names of the code's provider and of its tip page; the ledger stores ids only. */
  readonly receiverName: string;
  readonly receiverUsername: string;
  readonly displayName: string | null;
  readonly defaultThankYou: string | null;
}

/** An entry in the account of one of the two people. That of a capture has 0 cents: it tells of the charge. */
export const ENTRY_KINDS = [
  'received',
  'given',
  'received_reversed',
  'given_reversed',
  'received_adjusted',
  'given_adjusted',
  'received_captured',
  'given_captured',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export interface EntryRecord {
  /** 1, 2, 3 ... without a gap, in the order of commits. */
  readonly position: number;
  readonly kind: EntryKind;
  /** In its present state: a tip that was reversed later is `refunded` already in the entry of its gift. */
  readonly transaction: TransactionRecord;
  /** The number of its adjustment or capture among those of the tip; null for the tip and its reversal. */
  readonly changeNumber: number | null;
}

/** The name of an entry within its account, which has one for a tip, its reversal and each of its adjustments. */
export interface EntryName {
  readonly transactionId: TransactionId;
  readonly isReversal: boolean;
  /** As in `EntryRecord`; never beside `isReversal`. */
  readonly changeNumber: number | null;
}

/** Why a current code takes no tip. A blocked giver is refused as if the code were paused. */
export type TipRefusal =
  | 'key_reused'
  | 'code_paused'
  | 'own_code'
  | 'giver_suspended'
  | 'category_mismatch'
  | 'words_off'
  | 'words_refused'
  | TermsRefusal
  | 'held';

export type RecordOutcome =
  | { readonly outcome: 'recorded' | 'repeated'; readonly transaction: TransactionRecord }
  | CodeRefusal
  | { readonly outcome: TipRefusal };

export interface NewReversal {
  readonly transactionId: TransactionId;
  /** The giver or the receiver of the tip; null for the guest who gave it. */
  readonly userId: UserId | null;
  readonly idempotencyKey: string | null;
  readonly createdAtMs: number;
  /** A giver may not take back a tip recorded before this time; the receiver always may. */
  readonly giverFromMs: number;
}

/** A reversal for somebody who cannot ask for it, at any time; the act is its row in the audit log. */
export interface OperatorReversal {
  readonly transactionId: TransactionId;
  readonly createdAtMs: number;
  readonly act: Act;
}

export type ReverseOutcome =
  | { readonly outcome: 'reversed' | 'repeated'; readonly transaction: TransactionRecord }
  | { readonly outcome: 'unknown_transaction' | 'reversed_before' | 'too_late' };

export interface TipFilter {
  readonly direction: TipDirection | null;
  readonly serviceCategory: ServiceCategory | null;
  /** Inclusive; `untilMs` is exclusive. */
  readonly fromMs: number;
  readonly untilMs: number;
}

export const ALL_TIPS: TipFilter = {
  direction: null,
  serviceCategory: null,
  fromMs: 0,
  untilMs: Number.MAX_SAFE_INTEGER,
};

export interface ListingPlace {
  readonly createdAtMs: number;
  readonly position: number;
}

/** A step of a listing, which looks at a bounded number of entries. */
export interface ListingStep {
  readonly transactions: readonly TransactionRecord[];
  readonly next: ListingPlace | null;
}

export type BookEntryKind = 'tip' | 'reversal' | AdjustmentKind;

/** Narrows books by the time of the entry, and by the time of the tip that it belongs to. */
export interface BookFilter extends TipFilter {
  /** Inclusive; `tipUntilMs` is exclusive. */
  readonly tipFromMs: number;
  readonly tipUntilMs: number;
  /** Leaves the tips out. */
  readonly isOfChanges: boolean;
}

/** An entry with its own time and sums. Sums are negative where money goes back. */
export interface BookEntry {
  readonly direction: TipDirection;
  readonly kind: BookEntryKind;
  readonly createdAtMs: number;
  readonly position: number;
  readonly amountCents: Cents;
  readonly giverFeeCents: Cents;
  readonly netAmountCents: Cents;
  /** The payment service's id of the refund, dispute or reversal; null where the ledger has none. */
  readonly source: string | null;
  /** The payment service's id of the charge; null for simulated tips. */
  readonly chargeId: string | null;
  readonly transaction: TransactionRecord;
}

/** An entry that is no tip, with what sums need of it. */
export interface BookChange
  extends Pick<
    BookEntry,
    'direction' | 'kind' | 'createdAtMs' | 'position' | 'amountCents' | 'giverFeeCents' | 'netAmountCents'
  > {
  readonly tipCreatedAtMs: number;
  readonly serviceCategory: ServiceCategory;
}

export interface EarningsPeriod {
  /** A multiple of 15 minutes, as are `untilMs` (exclusive) and `offsetMs`. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** The offset of local time from UTC throughout the period, minus how long after midnight the days begin. */
  readonly offsetMs: number;
  readonly serviceCategory: ServiceCategory | null;
}

/** Tips of one local hour and service, without reversed ones. */
export interface HourlyEarnings {
  /** Hours since 1970-01-01 in local time. */
  readonly hour: number;
  readonly serviceCategory: ServiceCategory;
  readonly count: number;
  readonly netCents: Cents;
  readonly grossCents: Cents;
  readonly largestCents: Cents;
}

export interface Totals {
  readonly totalTipsReceivedCents: Cents;
  readonly totalTipsGivenCents: Cents;
  /** Received tips from `fromMs` to `untilMs` (exclusive), without reversed ones. */
  readonly receivedCount: number;
  readonly receivedCents: Cents;
}

export interface CheckStep {
  readonly problems: readonly string[];
  /** Whether everything written before the step is checked. Never true when there are problems. */
  readonly isDone: boolean;
}

export interface Ledger {
  /**
   * Records a tip durably, all or nothing: the transaction, its entries and totals, the bucket and the message. The
   * same giver and idempotency key give the same transaction, however often and concurrently.
   */
  recordTip(tip: GivenTip): Promise<RecordOutcome>;
  /** Reverses a tip in full, durably and at most once. `repeated` for the same person and idempotency key. */
  reverseTip(reversal: NewReversal | OperatorReversal): Promise<ReverseOutcome>;
  /** Newest first, at most `limit`. Each step looks at a bounded number of entries: an empty one may have a next. */
  listTransactions(
    userId: UserId,
    page: { readonly filter: TipFilter; readonly before: ListingPlace | null; readonly limit: number },
  ): Promise<ListingStep>;
  /** The place of a transaction in the user's listing; null when it is not the user's. */
  findListingPlace(userId: UserId, id: TransactionId): Promise<ListingPlace | null>;
  /** Sums the given tips without reversed ones, in steps like those of `listTransactions`. */
  sumGiven(
    userId: UserId,
    filter: Omit<TipFilter, 'direction'>,
    before: ListingPlace | null,
  ): Promise<{
    readonly count: number;
    readonly givenCents: Cents;
    readonly feeCents: Cents;
    readonly next: ListingPlace | null;
  }>;
  /** Entries by their own time, newest first, at most `limit`, in steps like those of `listTransactions`. */
  listBookEntries(
    userId: UserId,
    page: { readonly filter: BookFilter; readonly before: ListingPlace | null; readonly limit: number },
  ): Promise<{ readonly entries: readonly BookEntry[]; readonly next: ListingPlace | null }>;
  /** The place of an entry of a transaction; null when the account has no such entry. */
  findBookPlace(
    userId: UserId,
    name: { readonly transactionId: TransactionId; readonly position: number },
  ): Promise<ListingPlace | null>;
  /** An account's changes by their own time, newest first, at most `limit`. @param before null for all. */
  listChanges(userId: UserId, before: ListingPlace | null, limit: number): Promise<BookChange[]>;
  /** Received tips by local hour and service, unordered. The cost grows with the quarters that have tips. */
  readHourlyEarnings(userId: UserId, period: EarningsPeriod): Promise<HourlyEarnings[]>;
  /** A transaction that the user gave or received, or a guest's when `userId` is null; else null. */
  findTransaction(userId: UserId | null, id: TransactionId): Promise<TransactionRecord | null>;
  /** An account's entries after a position, oldest first, at most `limit`. */
  listEntriesSince(userId: UserId, position: number, limit: number): Promise<EntryRecord[]>;
  /** An account's newest entry, whose position is the number of its entries; null without entries. */
  findNewestEntry(userId: UserId): Promise<(EntryName & { readonly position: number }) | null>;
  findEntryPosition(userId: UserId, entry: EntryName): Promise<number | null>;
  /** @param fromMs a multiple of 15 minutes, like `untilMs`; hours begin at such times in all time zones. */
  readTotals(
    userId: UserId,
    fromMs: number,
    untilMs: number,
    serviceCategory?: ServiceCategory,
  ): Promise<Totals>;

  /** Checks a bounded part of what was written since the last check. Does nothing while another process checks. */
  checkRecent(): Promise<CheckStep>;
}
