import type { ReactNode } from 'react';
import card from '../ui/card.module.css';
import styles from './empty.module.css';

/** The state of a view without data yet; `children` name the way to some. */
export function Empty({
  icon,
  title,
  children,
}: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className={[card.card, styles.empty].join(' ')}>
      <span className={styles.icon} aria-hidden="true">
        {icon}
      </span>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
