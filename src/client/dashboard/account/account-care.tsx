/** The part of the profile with forms, whose libraries are fetched when the profile is opened. */
import type { User } from '#shared/accounts.ts';
import { MessageSettings } from '../messages/message-settings.tsx';
import { moveNotifications } from '../notifications/keep-notifications.ts';
import { ChangePassword } from './change-password.tsx';
import { Leaving } from './leaving.tsx';
import { Services } from './services.tsx';
import { Sessions, useReloadSessions } from './sessions.tsx';

export function AccountCare({ user }: { readonly user: User }) {
  const reloadSessions = useReloadSessions();

  function goOnUnderNewSession() {
    reloadSessions();
    // A registration for notifications ends with its session, and the change has ended the one before.
    void moveNotifications(user.id);
  }

  return (
    <>
      <Services user={user} />
      <ChangePassword email={user.email} onChanged={goOnUnderNewSession} />
      <Sessions />
      {user.isServiceProvider && <MessageSettings />}
      <Leaving user={user} />
    </>
  );
}
