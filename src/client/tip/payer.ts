import { takesGuestTips } from '../installation.ts';
import type { Session } from '../session/session.ts';

/** Stands for a payer without an account; no id of an account equals it. */
export const GUEST = 'guest';

/** The id of the account that pays, or GUEST; null when a login is needed, or while the session is unknown. */
export function payerOf(session: Session): string | null {
  if (session.status === 'signed-in') return session.user.id;
  return session.status === 'signed-out' && takesGuestTips() ? GUEST : null;
}

/** Of the id of a transaction, which the name that a guest knows it by has not. */
const ID_PREFIX = 'txn_';

/**
 * Who asks for a transaction of this name: a guest's is answered also where guests give no tips any more. The name is
 * not read, because what reads it would be loaded with the first page.
 */
export function askerOf(session: Session, name: string): string | null {
  return session.status === 'signed-out' && !name.startsWith(ID_PREFIX) ? GUEST : payerOf(session);
}
