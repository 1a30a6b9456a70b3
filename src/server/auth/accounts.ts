/**
 * Accounts: who may register, who may log in, and what a user sees of themselves.
 */

import type { Account, AccountChange, Remnants, Storage } from '#server/storage/port/storage.ts';
import { isClosingDue } from '#server/storage/rules/accounts.ts';
import {
  CLOSING_GRACE_DAYS,
  type Closing,
  type ClosingAnswer,
  type Confirmation,
  type Credentials,
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
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { newPassword, newUserId, type RandomBytes, type UserId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { isEasyToGuess } from './password-strength.ts';
import type { Passwords } from './passwords.ts';
import type { IssuedSession, Sessions } from './sessions.ts';

/** Long enough to hand a password over, short enough that one that was never changed is worth nothing later. */
const RESET_LIFETIME_MS = 86_400_000;

const EASY_TO_GUESS =
  'This password is too easy to guess. Use a few unrelated words, without names or years.';

/** For how long a login takes the closing of an account back. */
export const CLOSING_GRACE_MS = CLOSING_GRACE_DAYS * 86_400_000;
/** How many accounts are looked for at once of those that are to be closed. */
const CLOSED_IN_A_STEP = 100;

/** Each method that hashes a password is to be called in a turn (turns.ts). */
export interface Accounts {
  /** @throws AppError `invalid_input` (a password that is easy to guess), `email_taken`, `username_taken`. */
  register(registration: Registration): Promise<User>;
  /**
   * @param device what the session is begun with, in words; '' when nobody said.
   * @throws AppError `wrong_credentials`, alike for an unknown email and a wrong password.
   */
  login(credentials: Credentials, device: string): Promise<Login>;
  /**
   * Replaces the password and ends all sessions but that of `token`, which goes on under a new one: whoever knew the old
   * token has lost it too.
   * @returns null, with nothing changed, when the new password is the present one: whoever asks learns that only with the
   *   right one, and it counts as such.
   * @throws AppError `wrong_password` when the present one is not right, or has expired; `invalid_input` for a new one that
   *   is easy to guess or the account's own name; `session_ended` when the session ended meanwhile.
   */
  changePassword(account: Account, change: PasswordChange, token: string): Promise<Login | null>;
  /**
   * Begins to close an account for its owner: its sessions end, its codes take no tips, and a login within `CLOSING_GRACE_MS` takes
   * all of that back.
   * @throws AppError `wrong_password` when the password is not right, or has expired.
   */
  close(account: Account, closing: Closing): Promise<ClosingAnswer>;
  /**
   * Closes for good the accounts whose time to be taken back is over, and makes what was deleted unreadable.
   * @returns how many were closed, and what may be left of it in the files; null when there was nothing to do.
   */
  sweep(): Promise<{ readonly count: number; readonly remnants: Remnants } | null>;
  /**
   * For the operator: closes an account for good, at once.
   * @returns what may be left of it in the files; null when nobody has this email.
   */
  closeAtOnce(email: string): Promise<Remnants | null>;
  /**
   * Notes that the owner of a session typed the password in it.
   * @throws AppError `wrong_password` when it is not right, or has expired; `session_ended`.
   */
  confirm(account: Account, confirmation: Confirmation, token: string): Promise<void>;
  /** Whether a change is for whoever typed the password a short while ago: that of the username or the phone. */
  isSensitive(account: Account, change: ProfileChange): boolean;
  /** Whether a change is for whoever knows the password: that of the email, to which the account belongs. */
  isGuarded(account: Account, change: ProfileChange): boolean;
  /**
   * Changes an account as its owner asks, all of it or nothing. It verifies the password of a change that is guarded.
   * @throws AppError `email_taken`, `username_taken`; `wrong_password` for a change that is guarded; `invalid_input` when that comes
   *   without a password, when the password is the new email, or when a provider is to have no service, or to be a customer.
   */
  updateProfile(account: Account, change: ProfileChange): Promise<User>;
  /**
   * For the operator: gives an account a random password, good for a day, and ends all of its sessions.
   * @returns the password, which is stored nowhere; null when nobody has this email.
   */
  resetPassword(email: string): Promise<string | null>;
  /** Who has this email; null for nobody. It is not for answers, which must not tell. */
  idOf(email: string): Promise<UserId | null>;
  /** For the operator: ends all sessions. @returns how many there were; null when nobody has this email. */
  endSessions(email: string): Promise<number | null>;
}

export function createAccounts(deps: {
  readonly storage: Storage;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly random: RandomBytes;
}): Accounts {
  const { storage, sessions, passwords, clock, random } = deps;

  const isOver = ({ passwordExpiresAtMs }: { readonly passwordExpiresAtMs: number | null }) =>
    passwordExpiresAtMs !== null && passwordExpiresAtMs <= clock();

  /** Whether this process has closed accounts since what was deleted was made unreadable. */
  let hasRemnants = false;

  /** An account that is over counts as unknown, also before the sweep has come to it. */
  async function findOpen(email: string) {
    const found = await storage.findCredentials(email);
    return found && !isClosingDue(found.closesAtMs, clock()) ? found : null;
  }

  /** @returns null when the hash that the password was verified against was replaced before the session began. */
  async function tryLogin({ email, password }: Credentials, device: string): Promise<Login | null> {
    const found = await findOpen(email);
    const isRight = await passwords.verify(found?.passwordHash ?? null, password);
    if (!found || !isRight || isOver(found)) throw new AppError('wrong_credentials');
    const { account } = found;
    let { passwordHash } = found;
    if (passwords.isOutdated(passwordHash)) {
      const renewed = await passwords.hash(password);
      await storage.replacePasswordHash(account.id, passwordHash, renewed);
      passwordHash = renewed;
    }
    const issued = await sessions.issue(account.id, passwordHash, device);
    return issued && loginFrom(issued, account, issued.reopened);
  }

  function requireStrong(field: string, password: string, person: Parameters<typeof isEasyToGuess>[1]): void {
    if (isEasyToGuess(password, person, clock())) throw invalid(field, EASY_TO_GUESS);
  }

  const isGuarded = ({ email: present }: Account, { email }: ProfileChange) =>
    email !== undefined && email !== present;

  /** The email as it is to be stored, with the hash of the password that was verified for it. */
  async function verifiedEmail(
    account: Account,
    { email, username = account.username, currentPassword }: ProfileChange,
  ) {
    if (email === undefined || email === account.email) return undefined;
    if (currentPassword === undefined) throw invalid('currentPassword', 'Current password is required.');
    if (isOwnName(currentPassword, { email, username })) throw invalid('email', OWN_NAME_AS_PASSWORD);
    const found = await storage.findCredentials(account.email);
    const isRight = await passwords.verify(found?.passwordHash ?? null, currentPassword);
    if (!found || !isRight || isOver(found)) throw new AppError('wrong_password');
    return { email, passwordHash: found.passwordHash };
  }

  return {
    isGuarded,

    isSensitive: (present, { username = present.username, phone = present.phone }) =>
      username !== present.username || phone !== present.phone,

    async confirm({ email }, { password }, token) {
      const found = await storage.findCredentials(email);
      const isRight = await passwords.verify(found?.passwordHash ?? null, password);
      if (!found || !isRight || isOver(found)) throw new AppError('wrong_password');
      await sessions.confirm(token);
    },

    async updateProfile(account, change) {
      const { username, fullName, phone } = change;
      const serviceCategories = servicesAfter(account, change);
      const email = await verifiedEmail(account, change);
      const update: AccountChange = { email, username, fullName, phone, serviceCategories };
      const result = await storage.updateAccount(account.id, update);
      switch (result.outcome) {
        case 'updated':
          return userFrom(result.account);
        case 'stale':
          // The password was changed elsewhere meanwhile, so that the one given here is not the current one any more; what asks for no
          // password is refused for an account alone that was closed.
          throw new AppError(email ? 'wrong_password' : 'session_ended');
        case 'email_taken':
        case 'username_taken':
          throw new AppError(result.outcome);
      }
    },

    async register({ password, ...person }) {
      requireStrong('password', password, person);
      const passwordHash = await passwords.hash(password);
      const account = { ...person, id: newUserId(random), createdAtMs: clock() };
      const outcome = await storage.createAccount({ ...account, passwordHash });
      if (outcome !== 'created') throw new AppError(outcome);
      const totals = { totalTipsReceivedCents: cents(0), totalTipsGivenCents: cents(0) };
      return userFrom({ ...account, ...totals, mustChangePassword: false });
    },

    async login(given, device) {
      // A second try, because another login may have rehashed the same password meanwhile.
      const login = (await tryLogin(given, device)) ?? (await tryLogin(given, device));
      if (!login) throw new AppError('wrong_credentials');
      return login;
    },

    async changePassword(account, { currentPassword, newPassword }, token) {
      if (isOwnName(newPassword, account)) throw invalid('newPassword', OWN_NAME_AS_PASSWORD);
      requireStrong('newPassword', newPassword, account);
      const found = await storage.findCredentials(account.email);
      const isRight = await passwords.verify(found?.passwordHash ?? null, currentPassword);
      if (!found || !isRight || isOver(found)) throw new AppError('wrong_password');
      if (normalizePassword(newPassword) === normalizePassword(currentPassword)) return null;
      const next = { passwordHash: await passwords.hash(newPassword), expiresAtMs: null };
      const renewed = await sessions.changePassword(account.id, found.passwordHash, next, token);
      // The password was changed elsewhere meanwhile, so that the one given here is not the current one any more.
      if (!renewed) throw new AppError('wrong_password');
      return loginFrom(renewed, { ...found.account, mustChangePassword: false }, false);
    },

    async close({ id, email }, { currentPassword }) {
      const found = await storage.findCredentials(email);
      const isRight = await passwords.verify(found?.passwordHash ?? null, currentPassword);
      if (!found || !isRight || isOver(found)) throw new AppError('wrong_password');
      const closesAtMs = clock() + CLOSING_GRACE_MS;
      // The password was changed elsewhere meanwhile, so that the one given here is not the current one any more.
      if (!(await sessions.beginClosing(id, found.passwordHash, closesAtMs)))
        throw new AppError('wrong_password');
      return { closesAt: new Date(closesAtMs).toISOString() };
    },

    async sweep() {
      const nowMs = clock();
      let count = 0;
      for (;;) {
        const due = await storage.listClosingAccounts(nowMs, CLOSED_IN_A_STEP);
        for (const id of due) {
          if ((await storage.closeAccount(id, nowMs, true)) === 'closed') count += 1;
          await sessions.noteEnded(id);
        }
        if (due.length < CLOSED_IN_A_STEP) break;
      }
      hasRemnants ||= count > 0;
      if (!hasRemnants) return null;
      const remnants = await storage.forgetRemnants();
      hasRemnants = remnants === 'busy';
      return { count, remnants };
    },

    async closeAtOnce(email) {
      const found = await storage.findCredentials(email);
      if (!found) return null;
      await storage.closeAccount(found.account.id, clock(), false);
      await sessions.noteEnded(found.account.id);
      return storage.forgetRemnants();
    },

    async resetPassword(email) {
      const found = await findOpen(email);
      if (!found) return null;
      const password = newPassword(random);
      const passwordHash = await passwords.hash(password);
      const next = { passwordHash, expiresAtMs: clock() + RESET_LIFETIME_MS };
      let present = found.passwordHash;
      while (!(await sessions.replacePassword(found.account.id, present, next))) {
        // The hash was replaced between reading and writing; the operator's password counts all the same.
        const again = await findOpen(email);
        if (!again) return null;
        present = again.passwordHash;
      }
      return password;
    },

    idOf: async (email) => (await findOpen(email))?.account.id ?? null,

    async endSessions(email) {
      const found = await findOpen(email);
      return found ? sessions.endOthers(found.account.id, null) : null;
    },
  };
}

/** The services that an account comes to offer; undefined when they stay. A list that a customer sends is ignored, as at registration. */
function servicesAfter(
  account: Account,
  { isServiceProvider = account.isServiceProvider, serviceCategories }: ProfileChange,
): ProfileChange['serviceCategories'] {
  if (!isServiceProvider && account.isServiceProvider)
    throw invalid('isServiceProvider', 'A service provider cannot become a customer.');
  if (!isServiceProvider) return undefined;
  if (!account.isServiceProvider && serviceCategories === undefined)
    throw invalid('serviceCategories', NO_SERVICE);
  return serviceCategories;
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid_input', { fieldErrors: [{ field, message }] });
}

function loginFrom({ token, expiresAtMs }: IssuedSession, account: Account, reopened: boolean): Login {
  return {
    accessToken: token,
    expiresAt: new Date(expiresAtMs).toISOString(),
    reopened,
    user: userFrom(account),
  };
}

/** The account as its owner may see it. */
export function userFrom(account: Account): User {
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
    mustChangePassword: account.mustChangePassword,
  };
}
