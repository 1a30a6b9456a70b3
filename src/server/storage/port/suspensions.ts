/** The storage port for suspending: an operator keeps an account from giving and receiving tips. */
import type { UserId } from '#shared/ids.ts';
import type { Act } from './audit.ts';
import type { NewMail } from './mails.ts';

/** What an operator said to the owner of a suspended account. */
export interface Suspension {
  readonly sinceMs: number;
  readonly reason: string;
}

export interface Suspensions {
  /**
   * Suspends an account. From the commit on no tip is given or received, whichever process records it, its codes
   * look paused, and its API keys and streams do nothing. `suspended_before` leaves the earlier reason.
   * @param mail tells the owner's confirmed address.
   */
  suspend(
    id: UserId,
    suspension: Suspension,
    act: Act,
    mail?: NewMail,
  ): Promise<'suspended' | 'suspended_before' | 'closed'>;
  lift(id: UserId, act: Act, mail?: NewMail): Promise<'lifted' | 'not_suspended'>;
}
