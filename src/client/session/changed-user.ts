/** Takes over a change of the signed-in account, so that every screen shows it at once. */
import type { User } from '#shared/accounts.ts';
import { become, presentSession } from './session.ts';

/** Shows `user` as the signed-in person, unless somebody else is signed in by now. */
export function showChangedUser(user: User): void {
  const session = presentSession();
  if (session.status === 'signed-in' && session.user.id === user.id) become({ status: 'signed-in', user });
}
