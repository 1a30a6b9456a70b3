/**
 * Accounts: who may register, who may log in, and what a user sees of themselves.
 */
import type { Account, Storage } from '#server/storage/storage.ts';
import type { Credentials, Login, Registration, User } from '#shared/accounts.ts';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { newUserId, type RandomBytes } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { isCommonPassword } from './common-passwords.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';

export interface Accounts {
  /** @throws AppError `invalid_input` (a common password), `email_taken`, `username_taken`, `busy`. */
  register(registration: Registration): Promise<User>;
  /** @throws AppError `wrong_credentials`, alike for an unknown email and a wrong password; `busy`. */
  login(credentials: Credentials): Promise<Login>;
}

export function createAccounts(deps: {
  readonly storage: Storage;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly random: RandomBytes;
}): Accounts {
  const { storage, sessions, passwords, clock, random } = deps;

  return {
    async register({ password, ...person }) {
      if (isCommonPassword(password)) {
        throw new AppError('invalid_input', {
          fieldErrors: [
            { field: 'password', message: 'This password is too common. Please choose another one.' },
          ],
        });
      }
      const account = { ...person, id: newUserId(random) };
      const passwordHash = await passwords.hash(password);
      const outcome = await storage.createAccount({ ...account, passwordHash, createdAtMs: clock() });
      if (outcome !== 'created') throw new AppError(outcome);
      return userFrom({ ...account, totalTipsReceivedCents: cents(0), totalTipsGivenCents: cents(0) });
    },

    async login({ email, password }) {
      const found = await storage.findCredentials(email);
      const isRight = await passwords.verify(found?.passwordHash ?? null, password);
      if (!found || !isRight) throw new AppError('wrong_credentials');
      if (passwords.isOutdated(found.passwordHash)) {
        await storage.replacePasswordHash(
          found.account.id,
          found.passwordHash,
          await passwords.hash(password),
        );
      }
      const { token, expiresAtMs } = await sessions.issue(found.account.id);
      return {
        accessToken: token,
        expiresAt: new Date(expiresAtMs).toISOString(),
        user: userFrom(found.account),
      };
    },
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
  };
}
