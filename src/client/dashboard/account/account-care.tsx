/** The part of the profile with forms; it is fetched when the profile is opened. */
import type { User } from '#shared/accounts.ts';
import { WordSettings } from '../messages/message-settings.tsx';
import { moveNotices } from '../notifications/keep-notifications.ts';
import { ChangePassword } from './change-password.tsx';
import { Leaving } from './leaving.tsx';
import { Services } from './services.tsx';
import { useReloadSessions } from './session-queries.ts';
import { Sessions } from './sessions.tsx';

export function AccountCare({ user }: { readonly user: User }) {
  const reloadSessions = useReloadSessions();

  function goOnUnderNewSession() {
    reloadSessions();
    // Notices come for as long as a session lasts, and the change has ended the one before.
    void moveNotices(user.id);
  }

  return (
    <>
      <Services user={user} />
      <ChangePassword email={user.email} onChanged={goOnUnderNewSession} />
      <Sessions />
      {user.isServiceProvider && <WordSettings />}
      <Leaving user={user} />
    </>
  );
}
