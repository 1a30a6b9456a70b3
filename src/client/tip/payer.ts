/** Who pays on a tip page. */
import { takesGuestTips } from '../installation.ts';
import type { Session } from '../session/session.ts';

/** Stands for whoever pays without an account; no id of an account is like it. */
export const GUEST = 'guest';

/**
 * The id of the account that pays, or GUEST; null for somebody who has to login first, or of whom nothing is
 * known yet.
 */
export function payerOf(session: Session): string | null {
  if (session.status === 'signed-in') return session.user.id;
  return session.status === 'signed-out' && takesGuestTips() ? GUEST : null;
}
