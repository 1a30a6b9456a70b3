/**
 * The port to wherever Tipwell keeps its data. Every method is ONE atomic step that either happened or did not,
 * and answers with an outcome, never with a driver's error. The only error thrown on purpose is
 * `StorageUnavailable`: nothing was saved, and the same call may work later.
 */
import type { Clock } from '#shared/calendar.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import type { PhotoName, QrCodeId, TransactionId, UserId } from '#shared/ids.ts';
import type { Cents } from '#shared/money.ts';
import type { QrCodeStatus } from '#shared/qr-codes.ts';
import type { Devices } from './devices.ts';
import type { CodeRefusal, Ledger } from './ledger.ts';
import type { Messages } from './messages.ts';
import type { Payments } from './payments.ts';
import type { SecretName } from './secrets.ts';

/** Thrown when nothing can be read or saved at the moment: the disk is full, or the data is read-only or held by another process. */
export class StorageUnavailable extends Error {
  constructor(cause: unknown) {
    super('the storage is unavailable', { cause });
    this.name = 'StorageUnavailable';
  }
}

export interface Account {
  readonly id: UserId;
  /** In the case in which its owner wrote it. */
  readonly email: string;
  readonly username: string;
  readonly fullName: string;
  readonly phone: string | null;
  readonly isServiceProvider: boolean;
  readonly serviceCategories: readonly ServiceCategory[];
  readonly totalTipsReceivedCents: Cents;
  readonly totalTipsGivenCents: Cents;
  /** Whether somebody else made the present password, and therefore knows it. */
  readonly mustChangePassword: boolean;
  readonly createdAtMs: number;
}

export interface NewAccount
  extends Omit<Account, 'totalTipsReceivedCents' | 'totalTipsGivenCents' | 'mustChangePassword'> {
  readonly passwordHash: string;
}

/** What its owner changes of an account; what is left out stays as it is. */
export interface AccountChange {
  /** Other emails are for whoever proved to know the password behind this hash. */
  readonly email?: { readonly email: string; readonly passwordHash: string } | undefined;
  readonly username?: string | undefined;
  readonly fullName?: string | undefined;
  readonly phone?: string | null | undefined;
  /** All services of a provider: whoever has one is a provider. Those that are not among them any more are retired with their codes. */
  readonly serviceCategories?: readonly ServiceCategory[] | undefined;
}

export interface Session {
  /** SHA-256 of the bearer token; the token itself is stored nowhere. */
  readonly tokenHash: Uint8Array;
  readonly userId: UserId;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** When its owner last proved in it to know the password; at first that is when it was created. */
  readonly confirmedAtMs: number;
  /** The kind of device that the session was begun on, such as "Chrome on Android"; empty when the client named none. */
  readonly device: string;
}

export type NewSession = Omit<Session, 'confirmedAtMs'>;

/** A session that goes on under another token, for whoever has just proved to know the password. */
export interface RenewedSession {
  readonly tokenHash: Uint8Array;
  readonly nextTokenHash: Uint8Array;
  readonly expiresAtMs: number;
  readonly confirmedAtMs: number;
}

/** A session that lives, with whose it is. */
export interface LiveSession extends Pick<Session, 'createdAtMs' | 'expiresAtMs' | 'confirmedAtMs'> {
  readonly account: Account;
}

/** One bounded count of attempts: at most `maxCount` within `windowMs`, which begins with the first of them. */
export interface AttemptCount {
  readonly limit: string;
  /** The hash of the account that the limit is about; empty where it is about none. */
  readonly account: string;
  /** The hash of the address, network, device or session that the limit is about; empty where it is about none. */
  readonly address: string;
  readonly maxCount: number;
  readonly windowMs: number;
}

/** What somebody wrote on the tip page of a code; null where they wrote nothing. */
export interface TipPage {
  /** Who receives the tips, as givers see it. */
  readonly displayName: string | null;
  readonly greeting: string | null;
  /** What a giver is told as soon as they have tipped. */
  readonly thankYou: string | null;
}

export interface QrCodeRecord extends TipPage {
  readonly id: QrCodeId;
  readonly userId: UserId;
  readonly serviceCategory: ServiceCategory;
  readonly status: QrCodeStatus;
  readonly photoName: PhotoName | null;
  /** Whether givers may add words to their tips. */
  readonly takesWords: boolean;
}

export interface NewQrCode {
  readonly id: QrCodeId;
  readonly createdAtMs: number;
}

/** What is changed of a code; what is left out stays as it is. */
export interface QrCodeChange {
  readonly displayName?: string | null | undefined;
  readonly greeting?: string | null | undefined;
  readonly thankYou?: string | null | undefined;
  readonly takesWords?: boolean | undefined;
  readonly status?: Extract<QrCodeStatus, 'active' | 'paused'> | undefined;
}

/** The first picture of a new code. */
export interface NewPicture {
  readonly address: string;
  readonly png: Uint8Array;
}

export interface Photo {
  readonly name: PhotoName;
  readonly jpeg: Uint8Array;
}

export interface QrCodeWithPicture extends QrCodeRecord {
  /** PNG bytes, or null when no picture was made yet for the address asked for. */
  readonly picture: Uint8Array | null;
}

/** A code with whom it tips. One of an account that is being closed is paused. */
export interface QrCodeWithProvider extends QrCodeRecord {
  readonly username: string;
  readonly fullName: string;
}

/** What a storage tells of changes, by whichever process they were made. `any` stands for all that there are. */
export interface StorageListener {
  /** These accounts may have new entries, which can be read by now. */
  onEntries(accounts: readonly UserId[] | 'any'): void;
  /** What a look-up answers for the codes of these providers may have changed. */
  onCodes(owners: readonly UserId[] | 'any'): void;
  /** This giver was thanked for a tip. */
  onThanks(giver: UserId, id: TransactionId): void;
}

/**
 * What is left of deleted rows in the files of a database: nothing; some in unused parts, of which only a copy is free; or some that
 * can be cleared away later, when nobody else uses the files.
 */
export type Remnants = 'complete' | 'partial' | 'busy';

export interface Storage extends Ledger {
  readonly payments: Payments;
  readonly messages: Messages;
  readonly devices: Devices;
  /** Whether other processes may use the same data at the same time. */
  readonly isShared: boolean;
  /** Tells a listener of changes from now on. @returns a function that ends this. */
  subscribe(listener: Partial<StorageListener>): () => void;
  /**
   * Tells the listeners of changes that another process made without telling anybody, as an operator's command does on SQLite; to be
   * called every second.
   */
  lookForOthers(): Promise<void>;

  createAccount(account: NewAccount): Promise<'created' | 'email_taken' | 'username_taken'>;
  /** Finds an account by its email, in any case; null also for one that was closed. */
  findCredentials(email: string): Promise<{
    readonly account: Account;
    readonly passwordHash: string;
    /** Null for a password that does not expire. */
    readonly passwordExpiresAtMs: number | null;
    /** When the account will be closed for good; null for one that nobody is closing. */
    readonly closesAtMs: number | null;
  } | null>;
  /**
   * Changes an account. A username that it had before stays its own: nobody else gets it. `stale`, with nothing changed, when its
   * password is another one by now, or it was closed; the same for `email_taken` and `username_taken`.
   */
  updateAccount(
    id: UserId,
    change: AccountChange,
  ): Promise<
    | { readonly outcome: 'updated'; readonly account: Account }
    | { readonly outcome: 'stale' | 'email_taken' | 'username_taken' }
  >;
  /**
   * Notes that an account is to be closed at `closesAtMs`, and ends all of its sessions; until then its codes take no tips, and a
   * new session keeps it open. `stale`, with nothing changed, when its password hash is not `present` any more.
   */
  beginClosing(id: UserId, present: string, closesAtMs: number): Promise<'closing' | 'stale'>;
  /** The accounts that are to be closed at `nowMs` or before, at most so many. */
  listClosingAccounts(nowMs: number, atMost: number): Promise<UserId[]>;
  /**
   * Closes an account for good: whatever says who it was is gone, its codes are retired, and its usernames go to nobody. The ledger
   * keeps its entries. Nothing happens to one that is closed already, or that is not to be closed by `nowMs` when that is given.
   */
  closeAccount(id: UserId, nowMs: number, isDueOnly: boolean): Promise<'closed' | 'not_due'>;
  /** Makes what was deleted unreadable in the files of the database, as far as the engine can; also while others use it. */
  forgetRemnants(): Promise<Remnants>;
  /** The usernames that an account had before. */
  listFormerUsernames(id: UserId): Promise<string[]>;
  /** Replaces an account's password hash by another of the same password, unless it is no longer `present`. */
  replacePasswordHash(id: UserId, present: string, next: string): Promise<void>;

  /**
   * Replaces the password and ends all of the account's sessions but `kept` (null for none), which goes on under another token, in
   * one step. The new password stops working at `expiresAtMs`; null for never, and then its owner chose it. Nothing is changed
   * when it is `stale`, because somebody else changed it meanwhile, or when the session to be kept is `gone`.
   */
  changePassword(
    id: UserId,
    present: string,
    next: { readonly passwordHash: string; readonly expiresAtMs: number | null },
    kept: RenewedSession | null,
  ): Promise<'changed' | 'stale' | 'gone'>;

  /**
   * Begins a session for whoever proved to know the password behind `passwordHash`; of more than `maxCount` of an account
   * the oldest end. `reopened` when the account was being closed, and is not any more. `stale`, with nothing changed, when the
   * account's hash is another one by now, or the account was to be closed before the session began.
   */
  createSession(
    session: NewSession,
    passwordHash: string,
    maxCount: number,
  ): Promise<'created' | 'reopened' | 'stale'>;
  /** The session and its account, if it has not expired at `nowMs`. */
  findSession(tokenHash: Uint8Array, nowMs: number): Promise<LiveSession | null>;
  /** Those of the hashes that belong to no session that lives at `nowMs`. */
  findEndedSessions(tokenHashes: readonly Uint8Array[], nowMs: number): Promise<Uint8Array[]>;
  extendSession(tokenHash: Uint8Array, expiresAtMs: number): Promise<void>;
  /** Notes that the owner of a session has just proved to know the password. @returns whether there still is such a session. */
  confirmSession(tokenHash: Uint8Array, nowMs: number): Promise<boolean>;
  endSession(tokenHash: Uint8Array): Promise<void>;
  /** The sessions of an account that have not expired at `nowMs`, the newest first. */
  listSessions(userId: UserId, nowMs: number): Promise<Session[]>;
  /** Ends all sessions of an account but one; null for none. @returns how many ended. */
  endOtherSessions(userId: UserId, keptTokenHash: Uint8Array | null): Promise<number>;
  /** Deletes sessions that have expired at `nowMs`, at most so many. @returns how many. */
  forgetExpiredSessions(nowMs: number, atMost: number): Promise<number>;

  /** Whether a service has a code that is active or paused. */
  hasQrCode(userId: UserId, category: ServiceCategory): Promise<boolean>;
  /** Stores an active code with its first picture. `id_taken` asks for another id. */
  createQrCode(
    code: NewQrCode & Pick<QrCodeRecord, 'userId' | 'serviceCategory'>,
    picture: NewPicture,
  ): Promise<'created' | 'category_taken' | 'category_not_offered' | 'id_taken'>;
  /** Changes the tip page of a user's code, and whether it takes tips. */
  updateQrCode(
    userId: UserId,
    id: QrCodeId,
    change: QrCodeChange,
  ): Promise<{ readonly outcome: 'updated'; readonly code: QrCodeRecord } | CodeRefusal>;
  /**
   * Replaces a user's code by another one, which takes over its service, its tip page and whether it takes tips. `id_taken` asks for
   * another id.
   */
  replaceQrCode(
    userId: UserId,
    id: QrCodeId,
    next: NewQrCode,
    picture: NewPicture,
  ): Promise<
    | { readonly outcome: 'replaced'; readonly code: QrCodeRecord }
    | CodeRefusal
    | { readonly outcome: 'id_taken' }
  >;
  /** Puts a photo on the tip page of a user's code; null takes it off. The one before is gone then. */
  setPhoto(
    userId: UserId,
    id: QrCodeId,
    photo: Photo | null,
  ): Promise<{ readonly outcome: 'updated'; readonly code: QrCodeRecord } | CodeRefusal>;
  /** The bytes of a photo in JPEG; null when no page shows one of this name. */
  findPhoto(name: PhotoName): Promise<Uint8Array | null>;
  /**
   * The user's current codes, one of each service at most, oldest first, each with its picture for the address that is
   * `addressPrefix` followed by its id.
   */
  listQrCodes(userId: UserId, addressPrefix: string): Promise<QrCodeWithPicture[]>;
  /**
   * The user's codes that were replaced or retired, those made last first.
   * @param before the code after which to begin; none of this user's begins nowhere. Null begins with the newest.
   */
  listEndedQrCodes(userId: UserId, before: QrCodeId | null, atMost: number): Promise<QrCodeRecord[]>;
  findQrCode(id: QrCodeId): Promise<QrCodeWithProvider | null>;
  /** The picture of a code for an address; null when none was made yet. */
  findPicture(id: QrCodeId, address: string): Promise<Uint8Array | null>;
  savePicture(id: QrCodeId, address: string, png: Uint8Array): Promise<void>;

  /**
   * Counts one attempt in each of `counts`, or in none of them when one is used up. A window never ends later than its
   * length from now, also when the clock was turned back since.
   */
  takeAttempt(
    counts: readonly AttemptCount[],
    nowMs: number,
  ): Promise<{ readonly outcome: 'taken' } | { readonly outcome: 'used_up'; readonly freeAtMs: number }>;
  /** Takes one attempt back from each of `counts`. */
  returnAttempt(counts: readonly AttemptCount[]): Promise<void>;
  /** Forgets all attempts on an account. @returns how many counts there were. */
  forgetAttempts(account: string): Promise<number>;
  /** Deletes counts whose window has ended at `nowMs`, at most so many. @returns how many. */
  forgetEndedAttempts(nowMs: number, atMost: number): Promise<number>;

  /**
   * The 32 random bytes that this installation keeps under a name: `made` when there were none before, else those that are
   * there. They live and move with the data.
   */
  secret(name: SecretName, made: Uint8Array): Promise<Uint8Array>;
  /**
   * Forgets the keys of the installation: whoever reads them next makes new ones. With them go the devices that get notices, because
   * their push services know them under one of these keys.
   */
  forgetSecrets(): Promise<void>;

  /**
   * Proves that tips could be recorded, by a durable write that takes as much room as the longest of them, and is undone.
   * @throws StorageUnavailable, with its cause, when they could not.
   */
  proveWritable(): Promise<void>;
  /**
   * Looks whether what is written would last, and by the right time: the file that is open is the one that is there, and the
   * clock of the process is within a minute of the database's. While one of these does not hold, whatever writes is refused with
   * StorageUnavailable, and reads go on; no session is judged by a clock that is wrong.
   * @returns what does not hold, in a sentence for the operator; null when all is well.
   * @throws StorageUnavailable while the database does not answer.
   */
  checkGround(clock: Clock): Promise<string | null>;
  /** Finishes what was accepted, then lets go of the data. */
  close(): Promise<void>;
}
