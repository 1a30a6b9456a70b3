/** Where somebody is logged in, the password, the data of the account, and its end. */
import { Link } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { paths } from '../../paths.ts';
import { moveNotifications } from '../notifications/keep-notifications.ts';
import styles from './account-care.module.css';
import { ChangePassword } from './change-password.tsx';
import { Leaving } from './leaving.tsx';
import { OperatorActs } from './operator-acts.tsx';
import { SecondFactors } from './second-factors.tsx';
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
      <SecondFactors user={user} />
      <section className={styles.part} aria-labelledby="statements">
        <h3 className={styles.heading} id="statements">
          Statements
        </h3>
        <p>
          <Link href={paths.statement}>See the tips of a month or a year</Link>, to print or as CSV for a
          spreadsheet.
        </p>
      </section>
      <OperatorActs />
      <Leaving user={user} />
    </>
  );
}
