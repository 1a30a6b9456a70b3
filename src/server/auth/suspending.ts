/** Suspends accounts by their id, for commands and pages. */
import type { Act } from '#server/storage/port/audit.ts';
import type { DraftMail } from '#server/storage/port/mails.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import type { UserId } from '#shared/ids.ts';
import type { Sessions } from './sessions.ts';

export interface Suspending {
  /**
   * Its owner is told why. The streams of this process end at once, those of others within two seconds.
   * @returns `suspended_before` if it was, for the earlier reason; `closed` when there is no open account.
   */
  suspend(id: UserId, reason: string, act: Act): Promise<'suspended' | 'suspended_before' | 'closed'>;
  lift(id: UserId, act: Act): Promise<'lifted' | 'not_suspended'>;
}

export function createSuspending(deps: {
  readonly storage: Pick<Storage, 'suspensions'>;
  readonly sessions: Pick<Sessions, 'noteEnded'>;
  readonly clock: Clock;
  readonly draft: DraftMail;
}): Suspending {
  const { storage, sessions, clock, draft } = deps;
  const { suspensions } = storage;
  return {
    async suspend(id, reason, act) {
      const told = draft('account_suspended', { reason });
      const outcome = await suspensions.suspend(id, { sinceMs: clock(), reason }, act, told);
      await sessions.noteEnded(id);
      return outcome;
    },

    lift: (id, act) => suspensions.lift(id, act, draft('suspension_lifted')),
  };
}
