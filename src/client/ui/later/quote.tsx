/** What somebody has written, with their name under it. */
import type { ReactNode } from 'react';
import styles from './quote.module.css';

interface QuoteProps {
  /** Plain text. */
  readonly text: string;
  /** Whose words they are, and when; nothing where that is said beside it. */
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
