/** What links in mails allow: a new password, a confirmed email. Each works once, and opening it changes nothing. */
import type { DraftMail, LinkOwner, LinkPurpose } from '#server/storage/port/mails.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { hashOfToken } from '#server/storage/rules/tokens.ts';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import type { UserId } from '#shared/ids.ts';
import type { PasswordReset } from '#shared/mail.ts';
import { requireStrong } from './password-strength.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';

export interface MailLinks {
  /**
   * Also ends all sessions, links and device marks of the account, and all that lets somebody in beside the password
   * where nobody had confirmed the email before. Call it in a turn (work-queue.ts).
   * @returns whose it was. The result must not reach an answer.
   * @throws AppError `link_ended`; `invalid_input` for a password that is easy to guess or the account's own name.
   */
  resetPassword(reset: PasswordReset): Promise<LinkOwner>;
  /**
   * Confirms the email of an account, for whoever is logged in to it: only somebody who set the account up and reads
   * the mailbox as well is sure to be one person. @throws AppError `link_ended`, `link_of_another`.
   */
  confirmEmail(account: UserId, token: string): Promise<void>;
}

export function createMailLinks(deps: {
  readonly storage: Storage;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly draft: DraftMail;
}): MailLinks {
  const { storage, sessions, passwords, clock, draft } = deps;
  const { mails } = storage;

  async function ownerOf(tokenHash: Uint8Array, purpose: LinkPurpose): Promise<LinkOwner> {
    const owner = await mails.findLinkOwner(tokenHash, purpose, clock());
    if (!owner) throw new AppError('link_ended');
    return owner;
  }

  return {
    async resetPassword({ token, newPassword }) {
      const tokenHash = hashOfToken(token);
      const owner = await ownerOf(tokenHash, 'password');
      const { userId } = owner;
      await requireStrong('newPassword', newPassword, owner, clock());
      const passwordHash = await passwords.hash(newPassword);
      const told = draft('password_changed');
      if (!(await mails.resetPassword(userId, tokenHash, passwordHash, clock(), told)))
        throw new AppError('link_ended');
      await sessions.noteEnded(userId);
      return owner;
    },

    async confirmEmail(account, token) {
      const tokenHash = hashOfToken(token);
      const { userId } = await ownerOf(tokenHash, 'confirmation');
      if (userId !== account) throw new AppError('link_of_another');
      if (!(await mails.confirmAddress(userId, tokenHash, clock()))) throw new AppError('link_ended');
    },
  };
}
