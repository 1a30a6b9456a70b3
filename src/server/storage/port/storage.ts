/**
 * The port to wherever Tipwell keeps its data. Every method is ONE atomic step that either happened or did
 * not, and answers with an outcome, never with a driver's error. The only error thrown on purpose is
 * `StorageUnavailable`: nothing was saved, and the same call may work later.
 */
import type { Clock } from '#shared/calendar.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import type { PasskeyId, UserId } from '#shared/ids.ts';
import type { Cents } from '#shared/money.ts';
import type { AnnouncementStorage } from './announcements.ts';
import type { ApiKeyRecord, ApiKeyStorage } from './api-keys.ts';
import type { AttemptStorage } from './attempts.ts';
import type { Act, AuditLog } from './audit.ts';
import type { CodeStorage } from './codes.ts';
import type { Devices } from './devices.ts';
import type { Events } from './events.ts';
import type { FactorStorage } from './factors.ts';
import type { InvitationStorage } from './invitations.ts';
import type { Ledger } from './ledger.ts';
import type { StorageListener } from './listener.ts';
import type { Mails, NewMail } from './mails.ts';
import type { Messages } from './messages.ts';
import type { Operations } from './operations.ts';
import type { Operators } from './operators.ts';
import type { OutboxStorage } from './outboxes.ts';
import type { Payments } from './payments.ts';
import type { PeopleStorage } from './people.ts';
import type { SecretName } from './secrets.ts';
import type { Suspension, Suspensions } from './suspensions.ts';
import type { TermsStorage } from './terms.ts';
import type { WebhookStorage } from './webhooks.ts';

/** Nothing can be read or saved now: the disk is full, or the data read-only or locked by another process. */
export class StorageUnavailable extends Error {
  constructor(cause: unknown) {
    super('the storage is unavailable', { cause });
    this.name = 'StorageUnavailable';
  }
}

export interface AcceptedTerms {
  /** SHA-256 of their text, in hexadecimal. */
  readonly version: string;
  readonly atMs: number;
}

export interface Account {
  readonly id: UserId;
  readonly email: string;
  readonly username: string;
  readonly fullName: string;
  readonly phone: string | null;
  readonly isServiceProvider: boolean;
  readonly serviceCategories: readonly ServiceCategory[];
  readonly totalTipsReceivedCents: Cents;
  readonly totalTipsGivenCents: Cents;
  /** The hour of the clock, 0 to 23, at which the owner's days begin; null until they chose one. */
  readonly dayStartHour: number | null;
  /** Null where there were none when the account was created. */
  readonly acceptedTerms: AcceptedTerms | null;
  /** Whether somebody else set the present password. */
  readonly mustChangePassword: boolean;
  /** Null unless the account is suspended: no tips are given or received, and its API keys do nothing. */
  readonly suspension: Suspension | null;
  readonly createdAtMs: number;
}

export interface NewAccount
  extends Omit<
    Account,
    | 'totalTipsReceivedCents'
    | 'totalTipsGivenCents'
    | 'dayStartHour'
    | 'acceptedTerms'
    | 'mustChangePassword'
    | 'suspension'
  > {
  readonly passwordHash: string;
  readonly acceptedTerms?: AcceptedTerms | null;
}

/** A change by the account's owner; omitted fields stay. */
export interface AccountChange {
  /** Requires the hash of the password that the owner has just proved to know. */
  readonly email?:
    | {
        readonly email: string;
        readonly passwordHash: string;
        /** Asks the new address for a confirmation. */
        readonly confirmation?: NewMail | undefined;
        /** Tells the address before, when that was confirmed. */
        readonly farewell?: NewMail | undefined;
      }
    | undefined;
  readonly username?: string | undefined;
  readonly fullName?: string | undefined;
  readonly phone?: string | null | undefined;
  readonly dayStartHour?: number | null | undefined;
  /** All services of a provider; the codes of services that are missing here are retired. */
  readonly serviceCategories?: readonly ServiceCategory[] | undefined;
}

export interface StoredCredentials {
  readonly account: Account;
  readonly passwordHash: string;
  readonly passwordExpiresAtMs: number | null;
  /** When the account will be closed; null unless its owner is closing it. */
  readonly closesAtMs: number | null;
}

export interface Session {
  /** SHA-256 of the bearer token. The token itself is not stored. */
  readonly tokenHash: Uint8Array;
  readonly userId: UserId;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** When the owner last proved to know the password; at first the time of creation. */
  readonly confirmedAtMs: number;
  /** Such as "Chrome on Android"; empty when the client sent none. */
  readonly device: string;
}

export type NewSession = Omit<Session, 'confirmedAtMs'>;

/** A session that goes on under another token after its owner proved to know the password. */
export interface RenewedSession {
  readonly tokenHash: Uint8Array;
  readonly nextTokenHash: Uint8Array;
  readonly expiresAtMs: number;
  readonly confirmedAtMs: number;
}

export interface LiveSession extends Pick<Session, 'createdAtMs' | 'expiresAtMs' | 'confirmedAtMs'> {
  readonly account: Account;
}

export interface EndedSession {
  readonly tokenHash: Uint8Array;
  /** True for a live session of a suspended account. */
  readonly isSuspended: boolean;
}

/** An API key that can be used, with the account that it acts as. */
export interface LiveApiKey extends Pick<ApiKeyRecord, 'id' | 'scopes' | 'addresses' | 'lastUsedAtMs'> {
  readonly account: Account;
}

/** What is left of deleted rows: nothing; what only a copy removes; what stays while files are used or lack room. */
export type Remnants = 'complete' | 'partial' | 'busy';

export interface Storage
  extends Ledger,
    CodeStorage,
    TermsStorage,
    AnnouncementStorage,
    OutboxStorage,
    AttemptStorage {
  readonly payments: Payments;
  readonly messages: Messages;
  readonly devices: Devices;
  readonly mails: Mails;
  readonly invitations: InvitationStorage;
  readonly events: Events;
  readonly apiKeys: ApiKeyStorage;
  readonly webhooks: WebhookStorage;
  readonly audit: AuditLog;
  readonly operations: Operations;
  readonly operators: Operators;
  readonly factors: FactorStorage;
  readonly suspensions: Suspensions;
  readonly people: PeopleStorage;
  readonly isShared: boolean;
  subscribe(listener: Partial<StorageListener>): () => void;
  /** Tells listeners of changes by a command on SQLite, which notifies nobody; called every second. */
  lookForOthers(): Promise<void>;

  /** Spends a use of an invitation, given by the hash of its token, and deletes all those for this email alone. */
  createAccount(
    account: NewAccount,
    confirmation?: NewMail,
    invitation?: Uint8Array | null,
  ): Promise<'created' | 'email_taken' | 'username_taken' | 'invitation_invalid'>;
  /** Finds an account by its email, case-insensitively; null for a closed account. */
  findCredentials(email: string): Promise<StoredCredentials | null>;
  findCredentialsOf(id: UserId): Promise<StoredCredentials | null>;
  /**
   * Former usernames stay reserved. `stale`, with nothing changed, when the password hash has changed or the account
   * was closed. Another email ends the device marks of before. @param nowMs the time of the events of retired codes,
   * without which none is noted, and since when marks count.
   */
  updateAccount(
    id: UserId,
    change: AccountChange,
    nowMs?: number,
  ): Promise<
    | { readonly outcome: 'updated'; readonly account: Account }
    | { readonly outcome: 'stale' | 'email_taken' | 'username_taken' }
  >;
  /**
   * Schedules the closing of an account and ends all its sessions and API keys. Its codes take no tips until a new
   * session reopens it. `stale` when its password hash is not `present`.
   */
  beginClosing(id: UserId, present: string, closesAtMs: number, mail?: NewMail): Promise<'closing' | 'stale'>;
  /** Accounts due to be closed at `nowMs`, at most `atMost`. */
  listClosingAccounts(nowMs: number, atMost: number): Promise<UserId[]>;
  /**
   * Closes an account for good: personal data is erased, codes are retired, usernames are never reissued; the
   * ledger keeps its entries. Does nothing for a closed account, or with `isDueOnly` for one that is not due.
   */
  closeAccount(id: UserId, nowMs: number, isDueOnly: boolean, act?: Act): Promise<'closed' | 'not_due'>;
  /** Makes deleted data unreadable in the database files as far as the engine can, while others use it. */
  forgetRemnants(): Promise<Remnants>;
  listFormerUsernames(id: UserId): Promise<string[]>;
  /** Replaces a password hash by another of the same password, unless it is no longer `present`. */
  replacePasswordHash(id: UserId, present: string, next: string): Promise<void>;

  /**
   * Ends links in mails and all sessions but `kept`, which goes on under another token. Nothing changes when the hash
   * is `stale` or that session `gone`. Device marks of before end. @param next.expiresAtMs null when the owner chose
   * the password.
   */
  changePassword(
    id: UserId,
    present: string,
    next: {
      readonly passwordHash: string;
      readonly expiresAtMs: number | null;
      readonly changedAtMs: number;
    },
    kept: RenewedSession | null,
    mail?: NewMail,
    act?: Act,
  ): Promise<'changed' | 'stale' | 'gone'>;

  /**
   * Beyond `maxCount` the account's oldest sessions end. `reopened` when this ends the account's closing. `stale`, with
   * nothing changed, when the hash has changed or the account was due to be closed.
   * @param passkey that logged in; `stale` when the account has it no more.
   */
  createSession(
    session: NewSession,
    passwordHash: string,
    maxCount: number,
    mail?: NewMail,
    passkey?: PasskeyId,
  ): Promise<'created' | 'reopened' | 'stale'>;
  /** Null when there is none or it has expired at `nowMs`. */
  findSession(tokenHash: Uint8Array, nowMs: number): Promise<LiveSession | null>;
  /** The hashes that belong to no session that lives at `nowMs`, or to one of a suspended account. */
  findEndedSessions(tokenHashes: readonly Uint8Array[], nowMs: number): Promise<EndedSession[]>;
  extendSession(tokenHash: Uint8Array, expiresAtMs: number): Promise<void>;
  /** Stores that the owner has just proved to know the password. @returns false for an unknown session. */
  confirmSession(tokenHash: Uint8Array, nowMs: number): Promise<boolean>;
  endSession(tokenHash: Uint8Array): Promise<void>;
  listSessions(userId: UserId, nowMs: number): Promise<Session[]>;
  /** Ends all sessions but `keptTokenHash` (null for none). @returns how many. */
  endOtherSessions(userId: UserId, keptTokenHash: Uint8Array | null, act?: Act): Promise<number>;
  forgetExpiredSessions(nowMs: number, atMost: number, act?: Act): Promise<number>;

  findApiKey(keyHash: Uint8Array, nowMs: number): Promise<LiveApiKey | null>;

  /** Returns the stored 32 random bytes under a name, storing `made` when there are none. */
  secret(name: SecretName, made: Uint8Array): Promise<Uint8Array>;
  /** Deletes all keys but that of authenticator apps, and all devices, which push services know by one of them. */
  forgetSecrets(act?: Act): Promise<void>;

  /** Makes and undoes a write as large as the largest tip. @throws StorageUnavailable when tips cannot be recorded. */
  proveWritable(): Promise<void>;
  /**
   * Checks that writes would last and be timed rightly: the open file is the one at its path, and the process clock is
   * within a minute of the database's. Until that holds again, writes are refused with StorageUnavailable.
   * @returns a sentence for the operator; null when all is well.
   * @throws StorageUnavailable while the database does not answer.
   */
  checkGround(clock: Clock): Promise<string | null>;
  /** Finishes accepted steps, then closes the data. */
  close(): Promise<void>;
}
