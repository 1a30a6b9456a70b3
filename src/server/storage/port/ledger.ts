/** The part of the storage port that is about tips: recording them, reversing them, and reading what became of them. */
import type { ServiceCategory } from '#shared/categories.ts';
import type { QrCodeId, TransactionId, UserId } from '#shared/ids.ts';
import type { BasisPoints, Cents } from '#shared/money.ts';
import type { PaymentMode } from '#shared/payments.ts';
import type { TipDirection, TipParty } from '#shared/records.ts';
import type { OfferedMessage } from './messages.ts';

export interface NewTransaction {
  readonly id: TransactionId;
  /** Null for a guest, who has no account. */
  readonly giverId: UserId | null;
  readonly qrCodeId: QrCodeId;
  readonly serviceCategory: ServiceCategory;
  readonly amountCents: Cents;
  readonly giverFeeCents: Cents;
  readonly receiverFeeCents: Cents;
  readonly netAmountCents: Cents;
  readonly giverFeeRate: BasisPoints;
  readonly receiverFeeRate: BasisPoints;
  /** Null for a guest: the same id stands for the same key of theirs. */
  readonly idempotencyKey: string | null;
  readonly createdAtMs: number;
  readonly paymentMode: PaymentMode;
}

/** That a tip was reversed, when, and by whom. */
export interface Reversal {
  readonly createdAtMs: number;
  /** Null for one of a time when nobody could ask for it. */
  readonly reversedBy: TipParty | null;
}

/** A tip that is to be given, with what its giver says. */
export interface GivenTip extends NewTransaction {
  readonly giverMessage?: OfferedMessage | undefined;
}

export interface TransactionRecord extends NewTransaction {
  readonly receiverId: UserId;
  /** Null for a tip that was not reversed. */
  readonly reversal: Reversal | null;
  /** The names of whom the tip's code tips, as they are now: the ledger keeps ids only. */
  readonly receiverName: string;
  readonly receiverUsername: string;
  /** The name on the tip page of the code, as it is now; null when the page has none of its own. */
  readonly displayName: string | null;
  /** What the tip page of the code tells whoever has tipped, as it is now; null when that is nothing. */
  readonly defaultThankYou: string | null;
}

/** What a tip, or the reversal of one, did to the account of one of its two people. */
export const ENTRY_KINDS = ['received', 'given', 'received_reversed', 'given_reversed'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** An entry in the ledger of one account. */
export interface EntryRecord {
  /** 1 for the account's first, without a gap, in the order in which the entries were committed. */
  readonly position: number;
  readonly kind: EntryKind;
  /** As it is now: a tip that was reversed later is `refunded` already where it was given. */
  readonly transaction: TransactionRecord;
}

/** Names an entry to its account, which has at most one of each transaction and one of its reversal. */
export interface EntryName {
  readonly transactionId: TransactionId;
  readonly isReversal: boolean;
}

/** Why a code of somebody's cannot be changed: it is none of theirs, or it leads nowhere any more. */
export type CodeRefusal = { readonly outcome: 'unknown_code' | 'code_replaced' | 'code_retired' };

/** Why a tip is not given to a code that is there and current. One of a giver who is blocked is refused as if the code were paused. */
export type TipRefusal =
  | 'key_reused'
  | 'code_paused'
  | 'own_code'
  | 'category_mismatch'
  | 'words_off'
  | 'words_refused';

export type RecordOutcome =
  | { readonly outcome: 'recorded' | 'repeated'; readonly transaction: TransactionRecord }
  | CodeRefusal
  | { readonly outcome: TipRefusal };

/** What somebody asks for who has a tip reversed. */
export interface NewReversal {
  readonly transactionId: TransactionId;
  /** Who asks; they must have given or received it. Null for the guest who gave it. */
  readonly userId: UserId | null;
  readonly idempotencyKey: string | null;
  readonly createdAtMs: number;
  /** The giver of a tip that was given before this may not take it back; the receiver always may. */
  readonly giverFromMs: number;
}

export type ReverseOutcome =
  | { readonly outcome: 'reversed' | 'repeated'; readonly transaction: TransactionRecord }
  | { readonly outcome: 'unknown_transaction' | 'reversed_before' | 'too_late' };

/** Which tips of an account are meant. */
export interface TipFilter {
  readonly direction: TipDirection | null;
  readonly serviceCategory: ServiceCategory | null;
  /** Those given from this time up to, not including, `untilMs`. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Every tip of an account. */
export const ALL_TIPS: TipFilter = {
  direction: null,
  serviceCategory: null,
  fromMs: 0,
  untilMs: Number.MAX_SAFE_INTEGER,
};

/** Where a listing goes on: before the entry that was looked at last. */
export interface ListingPlace {
  readonly createdAtMs: number;
  readonly position: number;
}

/** A step of a listing, which looks at a bounded number of entries. */
export interface ListingStep {
  /** Those that the filter means, newest first. */
  readonly transactions: readonly TransactionRecord[];
  /** Where the listing goes on; null when there is nothing more. */
  readonly next: ListingPlace | null;
}

/** When an account received what is asked for, and for which service. */
export interface EarningsPeriod {
  /** A multiple of a quarter of an hour, as are `untilMs`, which is not included, and `offsetMs`. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** By how much local time is ahead of UTC, all the time between the two. */
  readonly offsetMs: number;
  /** Null for all. */
  readonly serviceCategory: ServiceCategory | null;
}

/** What an account received on a day for a service, without what was reversed. */
export interface DailyEarnings {
  /** How many days the day is after the first of 1970, in the local time that was asked for. */
  readonly day: number;
  readonly serviceCategory: ServiceCategory;
  readonly count: number;
  /** The sum of the net amounts. */
  readonly netCents: Cents;
  /** The sum of the amounts. */
  readonly grossCents: Cents;
  /** The largest net amount of one tip. */
  readonly largestCents: Cents;
}

/** What an account received in an hour of the week, without what was reversed. */
export interface HourlyEarnings {
  /** 0 to 167, in the local time that was asked for; 0 is the first hour of a Thursday, as 1970 began with one. */
  readonly hourOfWeek: number;
  readonly count: number;
  /** The sum of the net amounts. */
  readonly netCents: Cents;
}

export interface Totals {
  readonly totalTipsReceivedCents: Cents;
  readonly totalTipsGivenCents: Cents;
  /** Tips received from `fromMs` up to, not including, `untilMs`, without those that were reversed. */
  readonly receivedCount: number;
  /** The sum of the net amounts of these tips. */
  readonly receivedCents: Cents;
}

/** What a bounded step of checking the ledger came to. */
export interface CheckStep {
  /** What is wrong, in sentences; empty when what was looked at adds up. */
  readonly problems: readonly string[];
  /** Whether all is checked that was written before the step. Never when there are problems. */
  readonly isDone: boolean;
}

/** The ledger of tips. Every method is one atomic step, as in all of the port. */
export interface Ledger {
  /**
   * Records a tip: the transaction, an entry in each of the two accounts with their totals, the receiver's bucket and the words, all
   * or nothing, durably before it answers. A guest has no account, and no entry. The same giver and idempotency key give the same
   * transaction, however often and however concurrently asked.
   */
  recordTip(tip: GivenTip): Promise<RecordOutcome>;
  /**
   * Reverses a tip in full, by an entry in each of the two accounts, which takes their totals and the bucket of the time of the
   * tip back; all or nothing, durably, and at most once. `repeated` for the same person and idempotency key.
   */
  reverseTip(reversal: NewReversal): Promise<ReverseOutcome>;
  /**
   * Sent and received, newest first by their times; at most `limit`. One step looks at so many entries only, so that one that
   * finds none may still have a next.
   * @param before where to begin; null for the newest.
   */
  listTransactions(
    userId: UserId,
    page: { readonly filter: TipFilter; readonly before: ListingPlace | null; readonly limit: number },
  ): Promise<ListingStep>;
  /** Where the transaction of a user's stands in their listing; null when it is none of theirs. */
  findListingPlace(userId: UserId, id: TransactionId): Promise<ListingPlace | null>;
  /** What the tips that a user gave come to, without those that were reversed. A step of it, as one of `listTransactions`. */
  sumGiven(
    userId: UserId,
    filter: Omit<TipFilter, 'direction'>,
    before: ListingPlace | null,
  ): Promise<{
    readonly count: number;
    /** The sum of the amounts. */
    readonly givenCents: Cents;
    /** The sum of the fees on top of them. */
    readonly feeCents: Cents;
    readonly next: ListingPlace | null;
  }>;
  /**
   * What an account received in a period, by local day and service, in any order. Its cost is that of the quarters of an hour in it
   * that have tips, however many.
   */
  readDailyEarnings(userId: UserId, period: EarningsPeriod): Promise<DailyEarnings[]>;
  /** The same by hour of the local week. */
  readHourlyEarnings(userId: UserId, period: EarningsPeriod): Promise<HourlyEarnings[]>;
  /** A transaction of this user's, sent or received, or of a guest's when there is no user; null when it is none. */
  findTransaction(userId: UserId | null, id: TransactionId): Promise<TransactionRecord | null>;
  /** The entries of an account after the given position, oldest first, at most `limit`. */
  listEntriesSince(userId: UserId, position: number, limit: number): Promise<EntryRecord[]>;
  /** The newest entry of an account; null when it has none. Its position is how many there are. */
  findNewestEntry(userId: UserId): Promise<(EntryName & { readonly position: number }) | null>;
  /** Where an entry stands; null when the account has none of that name. */
  findEntryPosition(userId: UserId, entry: EntryName): Promise<number | null>;
  /**
   * @param fromMs and `untilMs` are multiples of a quarter of an hour, as the beginnings of hours in all time zones are.
   * @param serviceCategory counts only the tips of this service between them; without it, all.
   */
  readTotals(
    userId: UserId,
    fromMs: number,
    untilMs: number,
    serviceCategory?: ServiceCategory,
  ): Promise<Totals>;

  /**
   * Checks a bounded part of what was written to the ledger since the last check, and remembers how far it came, so that
   * nothing is checked twice. Does nothing while another process does it.
   */
  checkRecent(): Promise<CheckStep>;
}
