/** The care of one's own account. Fetched only by whoever opens the profile. */
import type { User } from '#shared/accounts.ts';
import { useReloadSessions } from '../queries.ts';
import { ChangePassword } from './change-password.tsx';
import { Sessions } from './sessions.tsx';

export function AccountCare({ user }: { readonly user: User }) {
  return (
    <>
      <ChangePassword email={user.email} onChanged={useReloadSessions()} />
      <Sessions />
    </>
  );
}
