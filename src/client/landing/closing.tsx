import { brand } from '#shared/brand.ts';
import { authFor, paths } from '../paths.ts';
import { ButtonLink } from '../ui/button-link.tsx';
import { CardLink, CardStand } from './card-stand.tsx';
import styles from './closing.module.css';
import section from './section.module.css';

export function Closing() {
  return (
    <section className={[section.bar, styles.closing].join(' ')} aria-labelledby="join">
      <div className={styles.words}>
        <h2 id="join" className={section.heading}>
          On the bar by tonight
        </h2>
        <p className={styles.text}>Your first code can stand there before the first order.</p>
        <ButtonLink href={authFor(paths.dashboard, 'sign-up')} className={styles.join}>
          Join {brand.name} Today
        </ButtonLink>
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
