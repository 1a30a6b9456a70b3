import { isGuests } from '../giving/guest-receipt.ts';
import { takesGuestTips } from '../installation.ts';
import type { Session } from '../session/session.ts';

/** Stands for a payer without an account; no id of an account equals it. */
export const GUEST = 'guest';

/** The id of the account that pays, or GUEST; null when a login is needed, or while the session is unknown. */
export function payerOf(session: Session): string | null {
  if (session.status === 'signed-in') return session.user.id;
  return session.status === 'signed-out' && takesGuestTips() ? GUEST : null;
}

/** Who asks for a transaction of this name: the link of a guest is answered also where guests give no tips any more. */
export function askerOf(session: Session, name: string): string | null {
  return session.status === 'signed-out' && isGuests(name) ? GUEST : payerOf(session);
}
