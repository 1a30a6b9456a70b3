/** Accounts: registration, care, and the account as shown to its owner. */

import { forgetInSteps } from '#server/storage/forget-in-steps.ts';
import type { DraftMail } from '#server/storage/port/mails.ts';
import type {
  Account,
  AccountChange,
  Remnants,
  Storage,
  StoredCredentials,
} from '#server/storage/port/storage.ts';
import { isClosingDue } from '#server/storage/rules/accounts.ts';
import {
  CLOSING_GRACE_DAYS,
  type Closing,
  type ClosingAnswer,
  type Confirmation,
  isOwnName,
  type Login,
  NO_SERVICE,
  normalizePassword,
  OWN_NAME_AS_PASSWORD,
  type PasswordChange,
  type ProfileChange,
  type Registration,
  type User,
} from '#shared/accounts.ts';
import { type Clock, isoTime } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { newUserId, type RandomBytes, type UserId } from '#shared/ids.ts';
import { invalidField } from '#shared/invalid-field.ts';
import { cents } from '#shared/money.ts';
import type { OperatorAct } from '#shared/operator-acts.ts';
import type { FactorDuty } from './factor-duty.ts';
import type { Invitations } from './invitations.ts';
import { listOperatorActs } from './operator-acts.ts';
import { requireStrong } from './password-strength.ts';
import type { Passwords } from './passwords.ts';
import type { IssuedSession, Sessions } from './sessions.ts';

export const CLOSING_GRACE_MS = CLOSING_GRACE_DAYS * 86_400_000;
const CLOSED_IN_A_STEP = 100;

/** Call each method that hashes a password in a turn (work-queue.ts). */
export interface Accounts {
  /**
   * @param isMailed whether the email is mailed the link that confirms it, where mail is sent.
   * @throws AppError as `Invitations.admit` does; `invalid_input` (easy to guess), `email_taken`, `username_taken`.
   */
  register(registration: Registration, isMailed: boolean): Promise<User>;
  /** Since when device marks of an account count; 0 for an unknown email, and when all count. */
  marksFrom(email: string): Promise<number>;
  /**
   * Replaces the password and ends all sessions; that of `token` continues under a new token, because whoever knew the
   * old password may know the old token.
   * @returns null, with nothing changed, when the new password is the present one, which is only told to who knows it.
   * @throws AppError `wrong_password` when the present one is wrong or has expired; `invalid_input` for a new one that
   *   is easy to guess or the account's own name, and without a present one that its owner chose; `password_needed`
   *   without one that the operator made, where neither login nor passkey is recent; `session_ended`.
   */
  changePassword(account: Account, change: PasswordChange, token: string): Promise<Login | null>;
  /** Sessions end, codes take no tips. @throws AppError `wrong_password` when the password is wrong or has expired. */
  close(account: Account, closing: Closing): Promise<ClosingAnswer>;
  /**
   * Closes the accounts whose grace period is over, and makes their deleted data unreadable.
   * @returns the number closed and the data that may remain in files; null when there was nothing to do.
   */
  sweep(): Promise<{ readonly count: number; readonly remnants: Remnants } | null>;
  /** @throws AppError `wrong_password` when it is wrong or has expired; `session_ended`. */
  confirm(account: Account, confirmation: Confirmation, token: string): Promise<void>;
  /** True for a change that requires a recently typed password: of the username or phone. */
  isSensitive(account: Account, change: ProfileChange): boolean;
  /** True for a change that requires the current password: of the email. */
  isGuarded(account: Account, change: ProfileChange): boolean;
  /**
   * Changes an account, all or nothing. @param isMailed as above, of a new email.
   * @throws AppError `email_taken`, `username_taken`; `wrong_password` for a guarded change; `invalid_input` when its
   *   password is missing or equals the new email, or when a provider would have no service or become a customer;
   *   `session_ended` for an account that was closed.
   */
  updateProfile(account: Account, change: ProfileChange, isMailed: boolean): Promise<User>;
  /** Null for an unknown email. The result must not reach an answer. */
  idOf(email: string): Promise<UserId | null>;
  /** What operators did to an account, the newest first. */
  listOperatorActs(id: UserId): Promise<OperatorAct[]>;
}

export function createAccounts(deps: {
  readonly storage: Storage;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly draft: DraftMail;
  readonly invitations: Pick<Invitations, 'admit'>;
  /** The SHA-256 of the terms of use; null without any. */
  readonly termsOfUse: string | null;
  readonly factorDuty: FactorDuty;
}): Accounts {
  const { storage, sessions, passwords, clock, random, draft, invitations } = deps;
  const { termsOfUse, factorDuty } = deps;

  /** By the id, because the email may have changed while the request waited for its turn. */
  async function requirePassword(id: UserId, password: string): Promise<StoredCredentials> {
    const found = await storage.findCredentialsOf(id);
    const isRight = await passwords.verify(found?.passwordHash ?? null, password);
    if (!found || !isRight) throw new AppError('wrong_password');
    if (isPasswordOver(found, clock())) throw new AppError('wrong_password');
    return found;
  }

  /** Whoever has a passkey need not have the password that the operator made, which expires besides. */
  async function requireOwner(account: Account, token: string): Promise<StoredCredentials> {
    if (!account.mustChangePassword) throw invalidField('currentPassword', 'Current password is required.');
    await sessions.requireRecentPassword(token);
    const found = await storage.findCredentialsOf(account.id);
    if (!found) throw new AppError('session_ended');
    return found;
  }

  const isGuarded = ({ email: present }: Account, { email }: ProfileChange) =>
    email !== undefined && email !== present;

  async function verifiedEmail(
    account: Account,
    { email, username = account.username, currentPassword }: ProfileChange,
    isMailed: boolean,
  ) {
    if (email === undefined || email === account.email) return undefined;
    if (currentPassword === undefined) throw invalidField('currentPassword', 'Current password is required.');
    if (isOwnName(currentPassword, { email, username })) throw invalidField('email', OWN_NAME_AS_PASSWORD);
    const { passwordHash } = await requirePassword(account.id, currentPassword);
    const confirmation = isMailed ? draft('confirmation') : undefined;
    return { email, passwordHash, confirmation, farewell: draft('email_changed') };
  }

  return {
    isGuarded,

    isSensitive: (present, { username = present.username, phone = present.phone }) =>
      username !== present.username || phone !== present.phone,

    async confirm({ id }, { password }, token) {
      await requirePassword(id, password);
      await sessions.confirm(token);
    },

    async updateProfile(account, change, isMailed) {
      const { username, fullName, phone, dayStartHour } = change;
      const serviceCategories = servicesAfter(account, change);
      const email = await verifiedEmail(account, change, isMailed);
      const update: Required<AccountChange> = {
        email,
        username,
        fullName,
        phone,
        dayStartHour,
        serviceCategories,
      };
      const result = await storage.updateAccount(account.id, update, clock());
      switch (result.outcome) {
        case 'updated':
          return userFrom(result.account, await factorDuty.isOpen(result.account));
        case 'stale':
          // The password was changed meanwhile. Without a password, only an account that was closed is refused.
          throw new AppError(email ? 'wrong_password' : 'session_ended');
        case 'email_taken':
        case 'username_taken':
          throw new AppError(result.outcome);
      }
    },

    async register({ password, invitation, ...person }, isMailed) {
      const admitted = await invitations.admit({ email: person.email, invitation });
      await requireStrong('password', password, person, clock());
      const passwordHash = await passwords.hash(password);
      const createdAtMs = clock();
      const acceptedTerms = termsOfUse ? { version: termsOfUse, atMs: createdAtMs } : null;
      const account = { ...person, id: newUserId(random), createdAtMs, acceptedTerms };
      const outcome = await storage.createAccount(
        { ...account, passwordHash },
        isMailed ? draft('confirmation') : undefined,
        admitted,
      );
      if (outcome !== 'created') throw new AppError(outcome);
      const totals = { totalTipsReceivedCents: cents(0), totalTipsGivenCents: cents(0) };
      const made = { ...account, ...totals, dayStartHour: null, mustChangePassword: false };
      return userFrom(made, await factorDuty.isOpen(made));
    },

    marksFrom: (email) => storage.mails.marksFrom(email),

    async changePassword(account, { currentPassword, newPassword }, token) {
      await requireStrong('newPassword', newPassword, account, clock());
      const isTyped = currentPassword !== undefined;
      const found = await (isTyped
        ? requirePassword(account.id, currentPassword)
        : requireOwner(account, token));
      const isPresent = isTyped
        ? normalizePassword(newPassword) === normalizePassword(currentPassword)
        : await passwords.verify(found.passwordHash, newPassword);
      if (isPresent) return null;
      const passwordHash = await passwords.hash(newPassword);
      const next = { passwordHash, expiresAtMs: null, changedAtMs: clock() };
      const told = draft('password_changed');
      const renewed = await sessions.changePassword(account.id, found.passwordHash, next, token, told);
      if (!renewed) throw new AppError('wrong_password');
      const user = userFrom(
        { ...found.account, mustChangePassword: false },
        await factorDuty.isOpen(account),
      );
      return loginFrom(renewed, user, false);
    },

    async close({ id }, { currentPassword }) {
      const { passwordHash } = await requirePassword(id, currentPassword);
      const closesAtMs = clock() + CLOSING_GRACE_MS;
      const told = draft('closing_begun', { closesAtMs });
      if (!(await sessions.beginClosing(id, passwordHash, closesAtMs, told)))
        throw new AppError('wrong_password');
      return { closesAt: isoTime(closesAtMs) };
    },

    sweep: createClosingSweep({ storage, sessions, clock }),

    idOf: async (email) => openOf(await storage.findCredentials(email), clock())?.account.id ?? null,

    listOperatorActs: (id) => listOperatorActs(storage.audit, id),
  };
}

function createClosingSweep({
  storage,
  sessions,
  clock,
}: {
  readonly storage: Storage;
  readonly sessions: Pick<Sessions, 'noteEnded'>;
  readonly clock: Clock;
}): Accounts['sweep'] {
  /** True while the deleted data of accounts that this process closed is still readable in files. */
  let hasRemnants = false;

  return async () => {
    const nowMs = clock();
    let count = 0;
    const failures: unknown[] = [];
    const close = async (id: UserId) => {
      if ((await closeForGood(storage, id, nowMs, true)) === 'closed') count += 1;
      await sessions.noteEnded(id);
    };
    for (;;) {
      const due = await storage.listClosingAccounts(nowMs, CLOSED_IN_A_STEP);
      // One that cannot be closed is the first of each list, and keeps no other from being closed.
      for (const id of due) await close(id).catch((error: unknown) => failures.push(error));
      if (due.length < CLOSED_IN_A_STEP || failures.length > 0) break;
    }
    hasRemnants ||= count > 0;
    const remnants = hasRemnants ? await storage.forgetRemnants() : null;
    hasRemnants = remnants === 'busy';
    if (failures.length > 0) throw new AggregateError(failures, 'accounts that are due could not be closed');
    return remnants && { count, remnants };
  };
}

/** Undefined keeps the services. A customer's list is ignored, as at registration. */
function servicesAfter(
  account: Account,
  { isServiceProvider = account.isServiceProvider, serviceCategories }: ProfileChange,
): ProfileChange['serviceCategories'] {
  if (!isServiceProvider && account.isServiceProvider)
    throw invalidField('isServiceProvider', 'A service provider cannot become a customer.');
  if (!isServiceProvider) return undefined;
  if (!account.isServiceProvider && serviceCategories === undefined)
    throw invalidField('serviceCategories', NO_SERVICE);
  return serviceCategories;
}

/**
 * `Storage.closeAccount`, before which messages are erased in bounded steps: one step for all of a busy provider's took
 * longer than PostgreSQL may take for a statement. What is broken off leaves an open account with messages erased.
 */
export async function closeForGood(
  storage: Pick<Storage, 'closeAccount' | 'messages'>,
  ...[id, nowMs, isDueOnly, act]: Parameters<Storage['closeAccount']>
): ReturnType<Storage['closeAccount']> {
  await forgetInSteps((atMost) => storage.messages.eraseBeforeClosing(id, nowMs, isDueOnly, atMost));
  return storage.closeAccount(id, nowMs, isDueOnly, act);
}

/** Whether a password that was set for somebody can no longer be used. */
export const isPasswordOver = ({ passwordExpiresAtMs }: StoredCredentials, nowMs: number): boolean =>
  passwordExpiresAtMs !== null && passwordExpiresAtMs <= nowMs;

/** Null for an account whose grace period is over: it counts as unknown, even before the sweep. */
export function openOf(found: StoredCredentials | null, nowMs: number): StoredCredentials | null {
  return found && !isClosingDue(found.closesAtMs, nowMs) ? found : null;
}

export function loginFrom({ token, expiresAtMs }: IssuedSession, user: User, reopened: boolean): Login {
  return { accessToken: token, expiresAt: isoTime(expiresAtMs), reopened, user };
}

export function userFrom(account: Omit<Account, 'suspension'>, mustAddSecondFactor: boolean): User {
  return {
    id: account.id,
    email: account.email,
    username: account.username,
    fullName: account.fullName,
    phone: account.phone,
    isServiceProvider: account.isServiceProvider,
    serviceCategories: [...account.serviceCategories],
    totalTipsReceivedCents: account.totalTipsReceivedCents,
    totalTipsGivenCents: account.totalTipsGivenCents,
    dayStartHour: account.dayStartHour,
    mustChangePassword: account.mustChangePassword,
    mustAddSecondFactor,
  };
}
