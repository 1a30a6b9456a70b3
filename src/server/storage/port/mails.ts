/** The storage port for mails, each added in the step of its cause and kept until a mail server took or refused it. */
import type { MailId, UserId } from '#shared/ids.ts';
import type { Act } from './audit.ts';
import type { DueRows } from './outboxes.ts';

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

/** A mail to the confirmed address of an account, if not said otherwise. The step that adds it fills the address in. */
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

export type MailClaim = Pick<ClaimedMail, 'id' | 'claimedUntilMs'>;

/** `refused`: the mail server will never take it. `dropped`: it must not or need not be sent any more. */
export type MailEnd =
  | { readonly outcome: 'sent' | 'dropped' }
  | { readonly outcome: 'refused'; readonly refusal: string; readonly atMs: number };

export const WAYS_IN = ['factors', 'api_keys', 'webhooks'] as const;
export type WayIn = (typeof WAYS_IN)[number];

/** What the first confirmation of an address ended, and whether payouts of before were left as they are. */
export interface EndedAccess {
  readonly ended: readonly WayIn[];
  readonly keepsPayouts: boolean;
}

export type LinkPurpose = 'password' | 'confirmation';

export interface NewLink {
  /** SHA-256 of the token. */
  readonly tokenHash: Uint8Array;
  readonly purpose: LinkPurpose;
  readonly expiresAtMs: number;
}

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

/** Beyond so many waiting mails nobody can ask for another one. */
export const MAX_WAITING_MAILS = 5_000;
/** The most links of an account: a mail that is tried again gets a link of its own, and people ask again. */
export const MAX_LINKS = 8;

export interface MailLinkStorage {
  /**
   * `stale`, with nothing added, when the account has another address by now or is closed. Of more than `maxCount`
   * links for a purpose those that expire first end.
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
  /** Uses a link and ends the others of its kind. @returns false when it cannot be used any more. */
  confirmAddress(userId: UserId, tokenHash: Uint8Array, nowMs: number): Promise<boolean>;
  /**
   * All sessions, links and device marks of the account end. With a mail its address is confirmed, because the link was
   * sent there; without one an operator handed the link over. Where nobody had confirmed the address before, whatever
   * else lets somebody into the account ends as well, and the content of the mail is told what (`EndedAccess`).
   * @returns false for a link that cannot be used.
   */
  resetPassword(
    userId: UserId,
    tokenHash: Uint8Array,
    passwordHash: string,
    nowMs: number,
    mail: NewMail | undefined,
  ): Promise<boolean>;
  forgetExpiredLinks(nowMs: number, atMost: number): Promise<number>;
}

export interface Mails extends MailLinkStorage {
  /**
   * Adds a mail that has no other cause in the data; `full`, with nothing added, beyond `maxCount` mails. Statements are
   * not counted. `stale`, with nothing added, for an account that is closed.
   */
  add(mail: AddressedMail, maxCount: number, act?: Act): Promise<'added' | 'full' | 'stale'>;
  /** Mails an account's confirmed address; `unconfirmed` without one, `full` beyond `maxCount` mails. */
  addToConfirmed(userId: UserId, mail: NewMail, maxCount: number): Promise<'added' | 'full' | 'unconfirmed'>;
  /**
   * Claims due mails: those that were not tried yet, then the others and statements, as they fell due. Two processes
   * never claim the same one.
   */
  claimDue(due: DueRows): Promise<ClaimedMail[]>;
  endClaims(): Promise<void>;
  /** Stores when a claimed mail is to be tried again. @returns false when the claim was no longer valid. */
  postpone(claim: MailClaim, next: { readonly nextTryMs: number; readonly tries: number }): Promise<boolean>;
  /**
   * Removes a claimed mail. A refusal of an account's present address is kept until a mail to it was sent, but none of a
   * guest's receipt.
   */
  finish(claim: MailClaim, end: MailEnd): Promise<void>;
  /** Removes unclaimed mails that are due at `nowMs` and were added by `untilMs`. @returns how many. */
  forgetOutdated(outdated: {
    readonly nowMs: number;
    readonly untilMs: number;
    readonly atMost: number;
  }): Promise<number>;

  /** Since when device marks of an account count; 0 for an unknown email, and when all count. */
  marksFrom(email: string): Promise<number>;

  settingsOf(userId: UserId): Promise<MailSettings>;
  /**
   * Sets monthly statements. @param change.timeZone null for the present one, which is UTC at first.
   * @param change.statedMonth the last month that needs none, such as 2026-05.
   */
  setMonthlyStatement(
    userId: UserId,
    change: { readonly isOn: boolean; readonly timeZone: string | null; readonly statedMonth: string },
  ): Promise<MailSettings>;
  /** Accounts with monthly statements, a confirmed address and no refusal, in the order of their ids. */
  listStatementReaders(after: string, atMost: number): Promise<StatementReader[]>;
  /**
   * Adds the statement of a month, behind what was not tried yet, and notes the month. @returns false, with nothing
   * noted, when another process has, or when too many mails of the account wait.
   */
  addStatement(reader: StatementReader, month: string, mail: NewMail): Promise<boolean>;
}
