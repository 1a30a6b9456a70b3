import { takesGuestTips } from '../installation.ts';
import type { Session } from '../session/session.ts';

/** Stands for a payer without an account; no id of an account equals it. */
export const GUEST = 'guest';

/** True for what an account has prepared that is not the present payer's. A guest may go on with it, and is told so. */
export function isOthers(preparedBy: string | null, payerId: string): boolean {
  return isAccount(preparedBy) && payerId !== GUEST && preparedBy !== payerId;
}

export function isAccount(payerId: string | null): boolean {
  return payerId !== null && payerId !== GUEST;
}

/** The id of the account that pays, or GUEST; null when a login is needed, or while the session is unknown. */
export function payerOf(session: Session): string | null {
  if (session.status === 'signed-in') return session.user.id;
  return session.status === 'signed-out' && takesGuestTips() ? GUEST : null;
}
