/** Changes the account on the server; the session and the cache of this page follow. */
import type { ProfileChange, User } from '#shared/accounts.ts';
import { api } from '../../api/api.ts';
import { become, presentSession } from '../../session/session.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';

/** @returns a function that changes the account. It throws the error of the call. */
export function useChangeProfile(): (change: ProfileChange) => Promise<void> {
  const utils = trpc.useUtils();
  return async (change) => {
    showChangedUser(await withPassword(() => api.auth.updateProfile.mutate(change)));
    // A retired service takes its code along.
    void utils.invalidate();
  };
}

/** Shows `user` as the signed-in person on every screen, unless somebody else is signed in by now. */
function showChangedUser(user: User): void {
  const session = presentSession();
  if (session.status === 'signed-in' && session.user.id === user.id) become({ status: 'signed-in', user });
}
