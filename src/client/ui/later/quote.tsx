import type { ReactNode } from 'react';
import styles from './quote.module.css';

interface QuoteProps {
  readonly text: string;
  /** Author and time; absent where they stand beside it. */
  readonly children?: ReactNode;
}

export function Quote({ text, children }: QuoteProps) {
  return (
    <figure className={styles.quote}>
      <blockquote>
        <bdi>{text}</bdi>
      </blockquote>
      {children && <figcaption>{children}</figcaption>}
    </figure>
  );
}
