/**
 * The storage port for mails. A mail is added in the same atomic step as its cause and stays in the outbox
 * until a mail server has taken or refused it. The links in mails are stored as hashes of their tokens.
 */
import type { MailId, UserId } from '#shared/ids.ts';
import type { Act } from './audit.ts';

export type MailKind =
  | 'password_link'
  | 'confirmation'
  | 'new_device'
  | 'password_changed'
  | 'email_changed'
  | 'closing_begun'
  | 'receipt'
  | 'statement'
  | 'key_made'
  | 'second_factor_changed'
  | 'webhook_off'
  | 'account_suspended'
  | 'suspension_lifted';

/** A mail to the address of an account, which the step that adds it fills in. */
export interface NewMail {
  readonly id: MailId;
  readonly kind: MailKind;
  /** The data of the letter as JSON, at most 2,000 characters. */
  readonly content: string;
  readonly createdAtMs: number;
}

export interface AddressedMail extends NewMail {
  readonly userId: UserId | null;
  readonly recipient: string;
}

/** Makes a mail of a kind; undefined where the installation sends no mail. */
export type DraftMail = (kind: MailKind, content?: object) => NewMail | undefined;

/** A mail that one process alone sends until `claimedUntilMs`. */
export interface ClaimedMail extends AddressedMail {
  readonly tries: number;
  readonly claimedUntilMs: number;
}

/** A claim, valid until another process claims the mail. */
export type MailClaim = Pick<ClaimedMail, 'id' | 'claimedUntilMs'>;

export interface DueMails {
  readonly nowMs: number;
  readonly leaseMs: number;
  /** The longest wait before a try; a longer one means that the clock was turned back. */
  readonly maxWaitMs: number;
  readonly atMost: number;
}

/**
 * What became of a mail. `refused`: the mail server will never take it, for the reason that it said.
 * `dropped`: it must not or need not be sent any more.
 */
export type MailEnd =
  | { readonly outcome: 'sent' | 'dropped' }
  | { readonly outcome: 'refused'; readonly refusal: string; readonly atMs: number };

export type LinkPurpose = 'password' | 'confirmation';

export interface NewLink {
  /** SHA-256 of the token. */
  readonly tokenHash: Uint8Array;
  readonly purpose: LinkPurpose;
  readonly expiresAtMs: number;
}

/** The owner of a link that can be used now. */
export interface LinkOwner {
  readonly userId: UserId;
  readonly email: string;
  readonly username: string;
  readonly fullName: string;
  readonly phone: string | null;
}

export interface MailSettings {
  /** When the present address was confirmed; null for one that never was. */
  readonly confirmedAtMs: number | null;
  readonly refusal: string | null;
  readonly refusedAtMs: number | null;
  readonly monthlyStatement: boolean;
  readonly timeZone: string;
}

export interface StatementReader {
  readonly userId: UserId;
  readonly timeZone: string;
  readonly statedMonth: string;
}

export interface Mails {
  /** Adds a mail that has no other cause in the data; `full`, with nothing added, beyond `maxCount` mails. */
  add(mail: AddressedMail, maxCount: number, act?: Act): Promise<'added' | 'full'>;
  /** Mails an account's confirmed address; `unconfirmed` without one, `full` beyond `maxCount` mails. */
  addToConfirmed(userId: UserId, mail: NewMail, maxCount: number): Promise<'added' | 'full' | 'unconfirmed'>;
  /** Claims due mails, the longest waiting first. Two processes never claim the same one. */
  claimDue(due: DueMails): Promise<ClaimedMail[]>;
  /** Ends all claims; called when the processes that made them have ended. */
  endClaims(): Promise<void>;
  /** Stores when a claimed mail is to be tried again. @returns false when the claim was no longer valid. */
  postpone(claim: MailClaim, next: { readonly nextTryMs: number; readonly tries: number }): Promise<boolean>;
  /**
   * Removes a claimed mail. A refusal is kept for its account, and a mail that was sent clears it, where the
   * mail went to the present address.
   */
  finish(claim: MailClaim, end: MailEnd): Promise<void>;

  /**
   * Adds the link of a mail that is about to be sent. `stale`, with nothing added, when the account has
   * another address by now or is closed. Of more than `maxCount` links for a purpose those that expire first
   * end.
   */
  addLink(
    userId: UserId,
    email: string,
    link: NewLink,
    maxCount: number,
    act?: Act,
  ): Promise<'added' | 'stale'>;
  /** Null for a link that was used, has expired at `nowMs` or was sent to another address. */
  findLinkOwner(tokenHash: Uint8Array, purpose: LinkPurpose, nowMs: number): Promise<LinkOwner | null>;
  /**
   * Uses a link to confirm the address that it was sent to, and ends the other links of that kind.
   * @returns false when it cannot be used any more.
   */
  confirmAddress(userId: UserId, tokenHash: Uint8Array, nowMs: number): Promise<boolean>;
  /**
   * Uses a link to replace the password: all sessions, links and device marks of the account end. With a mail its
   * address is confirmed, because the link was sent there; where no mail is sent, an operator handed it over.
   * @returns false when it cannot be used any more.
   */
  resetPassword(
    userId: UserId,
    tokenHash: Uint8Array,
    passwordHash: string,
    nowMs: number,
    mail: NewMail | undefined,
  ): Promise<boolean>;
  /** Deletes links expired at `nowMs`, at most `atMost`. @returns how many. */
  forgetExpiredLinks(nowMs: number, atMost: number): Promise<number>;
  /** Since when device marks of an account count; 0 for an unknown email, and when all count. */
  marksFrom(email: string): Promise<number>;

  settingsOf(userId: UserId): Promise<MailSettings>;
  /** Sets monthly statements. @param statedMonth the last month that needs none, such as 2026-05. */
  setMonthlyStatement(
    userId: UserId,
    change: { readonly isOn: boolean; readonly timeZone: string; readonly statedMonth: string },
  ): Promise<MailSettings>;
  /**
   * Accounts with monthly statements, a confirmed address and no refusal, in the order of their ids.
   * @param after the last account of the page before; '' for the first page.
   */
  listStatementReaders(after: string, atMost: number): Promise<StatementReader[]>;
  /** Adds the statement of a month and notes the month. @returns false when another process has. */
  addStatement(reader: StatementReader, month: string, mail: NewMail): Promise<boolean>;
}

/** The latest end of a claim, given the largest accepted difference of two clocks. */
export const mailClaimEndsBefore = ({ nowMs, leaseMs }: DueMails): number => nowMs + 2 * leaseMs;
