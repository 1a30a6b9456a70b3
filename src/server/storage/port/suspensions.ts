/** The storage port for suspending: an operator keeps an account from giving and receiving tips. */
import type { UserId } from '#shared/ids.ts';
import type { Act } from './audit.ts';
import type { NewMail } from './mails.ts';

export interface Suspension {
  readonly sinceMs: number;
  readonly reason: string;
}

export interface Suspensions {
  /** From the commit on no tip is given or received, and codes look paused. `suspended_before` keeps the reason. */
  suspend(
    id: UserId,
    suspension: Suspension,
    act: Act,
    mail?: NewMail,
  ): Promise<'suspended' | 'suspended_before' | 'closed'>;
  lift(id: UserId, act: Act, mail?: NewMail): Promise<'lifted' | 'not_suspended'>;
}
