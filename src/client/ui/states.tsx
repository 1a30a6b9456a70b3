/** The states of a view that has nothing to show: loading and failed. */
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import card from './card.module.css';
import { RetryIcon } from './icons.tsx';
import styles from './states.module.css';

/** The state of a view that loads; `children` may be a skeleton. */
export function Loading({
  text = 'Loading...',
  children,
}: {
  readonly text?: string;
  readonly children?: ReactNode;
}) {
  return (
    <div className={styles.loading} aria-busy="true">
      <p role="status">{text}</p>
      {children}
    </div>
  );
}

/** A grey area in place of content that loads, so that nothing moves when it comes. */
export function Skeleton({ height }: { readonly height: 'line' | 'card' | 'tall' }) {
  return <div className={[styles.skeleton, styles[height]].join(' ')} aria-hidden="true" />;
}

interface ProblemProps {
  readonly title: string;
  /** Whether it is the only content of the screen, whose heading its title is then. */
  readonly isScreen?: boolean;
  readonly children?: ReactNode;
  readonly onRetry?: () => void;
}

/** The state of a view that failed. */
export function Problem({ title, isScreen = false, children, onRetry }: ProblemProps) {
  return (
    <div className={[card.card, styles.problem].join(' ')} role="alert">
      {isScreen ? <h1 className={styles.title}>{title}</h1> : <h2>{title}</h2>}
      {children}
      {onRetry && (
        <Button onClick={onRetry}>
          <RetryIcon /> Retry
        </Button>
      )}
    </div>
  );
}
