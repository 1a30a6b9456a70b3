/** Accounts for operators: what they do to the account of an email, whose owner is asked for no password. */
import type { ActAbout } from '#server/storage/port/audit.ts';
import type { DraftMail } from '#server/storage/port/mails.ts';
import type { Remnants, Storage, StoredCredentials } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import { newPassword, type RandomBytes, type UserId } from '#shared/ids.ts';
import { closeForGood, openOf } from './accounts.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';

/** Enough to hand the password over; an unchanged one expires. */
const RESET_LIFETIME_MS = 86_400_000;

/** Each answers null for an unknown email. */
export interface AccountSupport {
  idOf(email: string): Promise<UserId | null>;
  /** Closes an account without a grace period. @returns the data that may remain in files. */
  closeAtOnce(email: string, act?: ActAbout): Promise<Remnants | null>;
  /**
   * Gives an account a random password for one day, and ends its sessions. Call it in a turn (work-queue.ts).
   * @returns the password, which is stored nowhere.
   */
  resetPassword(email: string, act?: ActAbout): Promise<string | null>;
  /** @returns the number of sessions that ended. */
  endSessions(email: string, act?: ActAbout): Promise<number | null>;
  /** For somebody who lost everything. @returns whether there was a factor. */
  removeFactors(email: string, act?: ActAbout): Promise<boolean | null>;
  endApiKeys(email: string, act?: ActAbout): Promise<number | null>;
}

export function createAccountSupport(deps: {
  readonly storage: Storage;
  readonly sessions: Pick<Sessions, 'endOthers' | 'noteEnded' | 'replacePassword'>;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly draft: DraftMail;
}): AccountSupport {
  const { storage, sessions, passwords, clock, random, draft } = deps;

  async function findOpen(email: string): Promise<StoredCredentials | null> {
    return openOf(await storage.findCredentials(email), clock());
  }

  async function idOf(email: string): Promise<UserId | null> {
    return (await findOpen(email))?.account.id ?? null;
  }

  return {
    idOf,

    async closeAtOnce(email, act) {
      // The sweep may not have closed one whose grace period is over.
      const found = await storage.findCredentials(email);
      if (!found) return null;
      const { id } = found.account;
      // The sweep may have closed it since: nobody is told of an act of which the log has no row.
      if ((await closeForGood(storage, id, clock(), false, act?.(id))) !== 'closed') return null;
      await sessions.noteEnded(id);
      return storage.forgetRemnants();
    },

    async resetPassword(email, act) {
      const found = await findOpen(email);
      if (!found) return null;
      const { id } = found.account;
      const password = newPassword(random);
      const passwordHash = await passwords.hash(password);
      const changedAtMs = clock();
      const next = { passwordHash, expiresAtMs: changedAtMs + RESET_LIFETIME_MS, changedAtMs };
      const told = draft('password_changed');
      let present = found.passwordHash;
      while (!(await sessions.replacePassword(id, present, next, told, act?.(id)))) {
        // The hash was replaced between reading and writing; the operator's password still wins.
        const again = await findOpen(email);
        if (!again) return null;
        present = again.passwordHash;
      }
      return password;
    },

    async endSessions(email, act) {
      const id = await idOf(email);
      return id && sessions.endOthers(id, null, act?.(id));
    },

    async removeFactors(email, act) {
      const id = await idOf(email);
      if (id === null) return null;
      const told = draft('second_factor_changed', { change: 'removed_by_operator' });
      return storage.factors.removeAll({ kind: 'account', id }, told, act?.(id));
    },

    async endApiKeys(email, act) {
      const id = await idOf(email);
      return id && storage.apiKeys.endAll(id, act?.(id));
    },
  };
}
