/** Changes the account on the server; the session and the cache of this page follow. */
import type { ProfileChange } from '#shared/accounts.ts';
import { api } from '../../api.ts';
import { trpc } from '../../session/api-hooks.ts';
import { showChangedUser } from '../../session/changed-user.ts';
import { withPassword } from '../../session/password-again.ts';

/** @returns a function that changes the account. It throws the error of the call. */
export function useChangeProfile(): (change: ProfileChange) => Promise<void> {
  const utils = trpc.useUtils();
  return async (change) => {
    showChangedUser(await withPassword(() => api.auth.updateProfile.mutate(change)));
    // A retired service takes its code along.
    void utils.invalidate();
  };
}
