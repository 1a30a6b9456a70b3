/** The storage port for messages, which stand beside the ledger, for the givers blocked and the messages reported. */
import type { ServiceCategory } from '#shared/categories.ts';
import type { QrCodeId, TransactionId, UserId } from '#shared/ids.ts';
import type { Act } from './audit.ts';

export interface GiverMessage {
  readonly message: string | null;
  readonly giverName: string | null;
}

export interface OfferedMessage extends GiverMessage {
  /** Whether the operator's list refuses the text. Then there is no tip, unless it was recorded before. */
  readonly isRefused: boolean;
}

export interface MessagesOfTip extends GiverMessage {
  readonly transactionId: TransactionId;
  readonly isHidden: boolean;
  readonly thankYou: string | null;
  readonly thankedAtMs: number | null;
  readonly reportedAtMs: number | null;
}

/** A giver from whom a receiver takes no tips for a service, nor on pages with the same name as its page. */
export interface BlockedGiver {
  readonly giverId: UserId;
  readonly serviceCategory: ServiceCategory;
  readonly transactionId: TransactionId;
  readonly createdAtMs: number;
}

export interface ReportedPerson {
  readonly id: UserId;
  readonly username: string;
  readonly email: string;
  /** Whether the account was closed, so that its name and email are placeholders. */
  readonly isClosed: boolean;
}

export interface MessageReport extends GiverMessage {
  readonly transactionId: TransactionId;
  readonly reportedAtMs: number;
  readonly settledAtMs: number | null;
  /** Null for a guest. */
  readonly giver: ReportedPerson | null;
  readonly receiver: ReportedPerson;
}

/** The place of a report in its list: when it was reported or settled, and its tip. */
export interface ReportPlace {
  readonly atMs: number;
  readonly transactionId: TransactionId;
}

/** Every method is one atomic step. Tips of other people are unknown to an account. */
export interface Messages {
  /** Tips without messages are left out. */
  findMessages(ids: readonly TransactionId[]): Promise<MessagesOfTip[]>;
  /** Stores the one answer to a received tip and tells the giver's streams. `repeated` for the same. */
  thank(
    receiverId: UserId,
    id: TransactionId,
    text: string,
    nowMs: number,
  ): Promise<'thanked' | 'repeated' | 'thanked_before' | 'suspended' | 'unknown_transaction'>;
  setHidden(
    receiverId: UserId,
    id: TransactionId,
    isHidden: boolean,
  ): Promise<'changed' | 'no_words' | 'unknown_transaction'>;
  /** Reports the giver's message to the operator; a second report hides it again, and is no new one. */
  reportMessage(
    receiverId: UserId,
    id: TransactionId,
    nowMs: number,
  ): Promise<'reported' | 'reported_before' | 'no_words' | 'unknown_transaction'>;
  /** Blocks the giver of a tip for its service. A second time changes nothing, nor does it for a closed account. */
  blockGiver(
    receiverId: UserId,
    id: TransactionId,
    nowMs: number,
  ): Promise<'blocked' | 'guest' | 'unknown_transaction'>;
  unblockGiver(receiverId: UserId, giverId: UserId): Promise<void>;
  /** Whether the owner of a code has blocked a giver on its page. */
  isBlocked(giverId: UserId, qrCodeId: QrCodeId): Promise<boolean>;
  /** The blocked givers of a receiver, newest first, once for each service. */
  listBlocked(receiverId: UserId): Promise<BlockedGiver[]>;
  /** Those of some givers whom a receiver has blocked, each once. No other block is read. */
  blockedAmong(receiverId: UserId, giverIds: readonly UserId[]): Promise<UserId[]>;
  /** Messages that an account gave, in the order of transaction ids, at most `atMost`. */
  listGivenMessages(
    giverId: UserId,
    after: TransactionId | null,
    atMost: number,
  ): Promise<(GiverMessage & Pick<MessagesOfTip, 'transactionId'>)[]>;
  /**
   * Erases messages that an account to be closed has given or received, at most `atMost`. Of reported ones only the
   * receiver's answer is erased.
   * @returns how many; none of an account that is closed or, with `isDueOnly`, not due.
   */
  eraseBeforeClosing(userId: UserId, nowMs: number, isDueOnly: boolean, atMost: number): Promise<number>;
  listThankYous(userId: UserId): Promise<string[]>;
  saveThankYous(userId: UserId, texts: readonly string[]): Promise<void>;

  /** Open reports, oldest first. @param after the last one of the page before. */
  listReports(atMost: number, after?: ReportPlace): Promise<MessageReport[]>;
  /** Settled reports, the last settled first. @param after the last one of the page before. */
  listSettledReports(atMost: number, after?: ReportPlace): Promise<MessageReport[]>;
  /** Marks a report as settled. @returns false when there was no open report. */
  settleReport(id: TransactionId, nowMs: number, act?: Act): Promise<boolean>;
}
