/** Where somebody is logged in, the password, the data of the account, and its end. */
import type { User } from '#shared/accounts.ts';
import { moveNotifications } from '../notifications/keep-notifications.ts';
import styles from './account-care.module.css';
import { ChangePassword } from './change-password.tsx';
import { Leaving } from './leaving.tsx';
import { Sessions, useReloadSessions } from './sessions.tsx';

export function Security({ user }: { readonly user: User }) {
  const reloadSessions = useReloadSessions();

  function goOnUnderNewSession() {
    reloadSessions();
    // A registration for notifications ends with its session, and the change has ended the one before.
    void moveNotifications(user.id);
  }

  return (
    <>
      <Sessions />
      <section className={styles.part} aria-labelledby="password">
        <h3 className={styles.heading} id="password">
          Change password
        </h3>
        <ChangePassword email={user.email} onChanged={goOnUnderNewSession} />
      </section>
      <Leaving user={user} />
    </>
  );
}
