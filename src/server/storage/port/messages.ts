/**
 * The part of the storage port that is about words: what giver and receiver wrote to each other about a tip, what receivers keep
 * out, and what they reported. Words stand beside the ledger, which never changes.
 */
import type { ServiceCategory } from '#shared/categories.ts';
import type { QrCodeId, TransactionId, UserId } from '#shared/ids.ts';

/** What a giver adds to a tip. */
export interface GiverMessage {
  readonly message: string | null;
  /** The name under which the tip is given; null for none. */
  readonly giverName: string | null;
}

/** Words that somebody wants to add to a tip. */
export interface OfferedMessage extends GiverMessage {
  /** Whether they may not be said here: then there is no tip either, unless it was given before. */
  readonly isRefused: boolean;
}

/** What was written about a tip. */
export interface TipMessages extends GiverMessage {
  readonly transactionId: TransactionId;
  /** Whether the receiver does not want to see what the giver wrote. */
  readonly isHidden: boolean;
  /** What the receiver answered, and when; null when they did not. */
  readonly thankYou: string | null;
  readonly thankedAtMs: number | null;
  readonly reportedAtMs: number | null;
}

/** A giver from whom a receiver takes no tips for one service, nor on pages that show the same name as its page. */
export interface BlockedGiver {
  readonly giverId: UserId;
  /** That of the tip by which they were blocked. */
  readonly serviceCategory: ServiceCategory;
  /** The tip by which they were blocked. */
  readonly transactionId: TransactionId;
  readonly createdAtMs: number;
}

/** Somebody whom a report is about, or from. */
export interface ReportedPerson {
  readonly username: string;
  readonly email: string;
}

/** Words that a receiver reported to the operator. */
export interface MessageReport extends GiverMessage {
  readonly transactionId: TransactionId;
  readonly reportedAtMs: number;
  /** Null for a guest. */
  readonly giver: ReportedPerson | null;
  readonly receiver: ReportedPerson;
}

/** Words. Every method is one atomic step, as in all of the port. None of other people's tips exists for an account. */
export interface Messages {
  /** What was written about these tips; those without words are left out. */
  findMessages(ids: readonly TransactionId[]): Promise<TipMessages[]>;
  /** Answers a tip that was received, once, and tells the giver's streams. `repeated` for the same answer. */
  thank(
    receiverId: UserId,
    id: TransactionId,
    text: string,
    nowMs: number,
  ): Promise<'thanked' | 'repeated' | 'thanked_before' | 'unknown_transaction'>;
  /** Hides what the giver of a tip wrote from its receiver, or shows it again. */
  setHidden(
    receiverId: UserId,
    id: TransactionId,
    isHidden: boolean,
  ): Promise<'changed' | 'no_words' | 'unknown_transaction'>;
  /** Reports what the giver of a tip wrote; a second time changes nothing. */
  reportMessage(
    receiverId: UserId,
    id: TransactionId,
    nowMs: number,
  ): Promise<'reported' | 'no_words' | 'unknown_transaction'>;
  /**
   * Takes no tips any more from whoever gave a tip: for its service, whatever becomes of the code and the name of its page, and on all
   * pages that show the same name as the present page of that service. A second time changes nothing.
   */
  blockGiver(
    receiverId: UserId,
    id: TransactionId,
    nowMs: number,
  ): Promise<'blocked' | 'guest' | 'unknown_transaction'>;
  /** Takes tips again from a giver, on all pages. */
  unblockGiver(receiverId: UserId, giverId: UserId): Promise<void>;
  /** Whether the owner of a code takes no tips by it from a giver. */
  isBlocked(giverId: UserId, qrCodeId: QrCodeId): Promise<boolean>;
  /** The givers whom a receiver has blocked, newest first, once for each service. */
  listBlocked(receiverId: UserId): Promise<BlockedGiver[]>;
  /**
   * What an account wrote with its tips, by their ids, at most so many.
   * @param after the tip after which the listing goes on; null from the beginning.
   */
  listGivenMessages(
    giverId: UserId,
    after: TransactionId | null,
    atMost: number,
  ): Promise<(GiverMessage & Pick<TipMessages, 'transactionId'>)[]>;
  /** The thank-yous that an account keeps ready, at most three. */
  listThankYous(userId: UserId): Promise<string[]>;
  saveThankYous(userId: UserId, texts: readonly string[]): Promise<void>;

  /** The reports that the operator is not done with, oldest first. */
  listReports(atMost: number): Promise<MessageReport[]>;
  /** Notes that the operator is done with a report. @returns whether there was one. */
  settleReport(id: TransactionId, nowMs: number): Promise<boolean>;
}
