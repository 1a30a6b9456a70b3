/** The states that any view may be in before it has something to show. */
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import card from './card.module.css';
import { RetryIcon } from './icons.tsx';
import styles from './states.module.css';

/** Says that something is on its way; `children` may sketch what will stand here. */
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

/** A grey stand-in for content that is loading; it keeps the layout still. */
export function Skeleton({ height }: { readonly height: 'line' | 'card' | 'tall' }) {
  return <div className={[styles.skeleton, styles[height]].join(' ')} aria-hidden="true" />;
}

interface ProblemProps {
  readonly title: string;
  /** It is all that the screen has to say, so that its title is the screen's. */
  readonly isScreen?: boolean;
  readonly children?: ReactNode;
  readonly onRetry?: () => void;
}

/** Says what went wrong and what can be done about it. */
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
