/** A checkbox or a radio button whose label is part of its target. */
import type { ComponentProps } from 'react';
import styles from './choice.module.css';

export function Choice({ children, ...input }: ComponentProps<'input'>) {
  return (
    <label className={styles.choice}>
      <input type="checkbox" {...input} />
      <span>{children}</span>
    </label>
  );
}
