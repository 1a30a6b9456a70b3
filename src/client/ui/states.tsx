import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import card from './card.module.css';
import { ScreenHeading } from './heading.tsx';
import { RetryIcon } from './icons.tsx';
import styles from './states.module.css';

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

const HEIGHTS = { line: styles.line, card: styles.card, tall: styles.tall };

/** A grey area that keeps the room of content. */
export function Skeleton({ height }: { readonly height: keyof typeof HEIGHTS }) {
  return <div className={[styles.skeleton, HEIGHTS[height]].join(' ')} aria-hidden="true" />;
}

interface ProblemProps {
  readonly title: string;
  /** True when it is the only content, so that its title is the heading of the screen. */
  readonly isScreen?: boolean;
  readonly children?: ReactNode;
  readonly onRetry?: () => void;
}

export function Problem({ title, isScreen = false, children, onRetry }: ProblemProps) {
  return (
    <div className={[card.card, styles.problem].join(' ')} role="alert">
      {isScreen ? <ScreenHeading className={styles.title}>{title}</ScreenHeading> : <h2>{title}</h2>}
      {children}
      {onRetry && (
        <Button onClick={onRetry}>
          <RetryIcon /> Retry
        </Button>
      )}
    </div>
  );
}
