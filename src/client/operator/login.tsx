/** What an operator without a session sees. */
import { brand } from '#shared/brand.ts';
import styles from './console.module.css';
import { useHasEnded } from './console-session.ts';

export function Login() {
  const hasEnded = useHasEnded();
  return (
    <main className={styles.door}>
      <title>{`Log In · Operator · ${brand.name}`}</title>
      <h1 className={styles.heading}>Operator</h1>
      {hasEnded && <p role="status">Your session has ended. Log in again.</p>}
    </main>
  );
}
