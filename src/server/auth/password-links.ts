/** A link for a new password that an operator makes for somebody who cannot log in. */
import type { ActAbout } from '#server/storage/port/audit.ts';
import { type DraftMail, MAX_LINKS, MAX_WAITING_MAILS } from '#server/storage/port/mails.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { hashOfToken, newToken } from '#server/storage/rules/tokens.ts';
import { type Clock, isoTime } from '#shared/calendar.ts';
import type { SentLink } from '#shared/console/people.ts';
import { AppError } from '#shared/errors.ts';
import type { RandomBytes, UserId } from '#shared/ids.ts';
import { LINK_PATHS } from '#shared/mail-paths.ts';

export const HANDED_LINK_MINUTES = 30;

export interface PasswordLinks {
  /**
   * Sends the link to the account's email; where no mail is sent, tells it to the operator once.
   * @throws AppError `mail_busy`; `not_found` for an account that was closed meanwhile.
   */
  send(account: { readonly id: UserId; readonly email: string }, act: ActAbout): Promise<SentLink>;
}

export function createPasswordLinks(deps: {
  readonly storage: Pick<Storage, 'mails'>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly publicUrl: string;
  readonly draft: DraftMail;
}): PasswordLinks {
  const { storage, clock, random, publicUrl, draft } = deps;
  const { mails } = storage;
  return {
    async send({ id, email }, act) {
      const mail = draft('password_link');
      if (mail) {
        const outcome = await mails.add(
          { ...mail, userId: id, recipient: email },
          MAX_WAITING_MAILS,
          act(id),
        );
        if (outcome === 'full') throw new AppError('mail_busy');
        if (outcome === 'stale') throw new AppError('not_found');
        return { by: 'mail' };
      }
      const token = newToken(random);
      const expiresAtMs = clock() + HANDED_LINK_MINUTES * 60_000;
      const link = { tokenHash: hashOfToken(token), purpose: 'password', expiresAtMs } as const;
      const outcome = await mails.addLink(id, email, link, MAX_LINKS, act(id));
      if (outcome === 'stale') throw new AppError('not_found');
      // The fragment of an address reaches no server and no log.
      const url = `${publicUrl}${LINK_PATHS.reset}#${token}`;
      return { by: 'operator', url, expiresAt: isoTime(expiresAtMs) };
    },
  };
}
