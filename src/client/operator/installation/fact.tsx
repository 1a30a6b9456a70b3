import type { ReactNode } from 'react';
import styles from './installation.module.css';

/** A row of a `dl` with the class `facts`. */
export function Fact({ term, children }: { readonly term: string; readonly children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
