/** What somebody can set up on this device: notices of tips, and the app. It is fetched with the profile. */
import type { User } from '#shared/accounts.ts';
import { Install } from './install.tsx';
import { Notices } from './notifications.tsx';

export function ThisDevice({ user }: { readonly user: User }) {
  return (
    <>
      {user.isServiceProvider && <Notices userId={user.id} />}
      <Install />
    </>
  );
}
