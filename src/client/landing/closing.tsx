import { brand } from '#shared/brand.ts';
import { NO_NEW_ACCOUNTS, registrationMode } from '../ui/later/registration-mode.ts';
import { CardLink, CardStand } from './card-stand.tsx';
import styles from './closing.module.css';
import { JoinLink } from './join-link.tsx';
import section from './section.module.css';

export function Closing() {
  const isClosed = registrationMode() === 'closed';
  return (
    <section className={[section.bar, styles.closing].join(' ')} aria-labelledby="join">
      <div className={styles.words}>
        <h2 id="join" className={section.heading}>
          {isClosed ? 'Have an account?' : 'On the bar by tonight'}
        </h2>
        <p className={styles.text}>
          {isClosed ? NO_NEW_ACCOUNTS : 'Your first code can stand there before the first order.'}
        </p>
        <JoinLink className={styles.join}>Join {brand.name} Today</JoinLink>
      </div>
      <div className={styles.card}>
        <svg viewBox="0 0 252 325" aria-hidden="true">
          <CardStand title="Tip me" text="Scan or tap" />
        </svg>
        <CardLink className={styles.try} />
      </div>
    </section>
  );
}
