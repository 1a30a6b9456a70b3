import { lazy, type ReactNode } from 'react';
import { Later } from '../../ui/boundary.tsx';
import card from '../../ui/card.module.css';
import { messagesOf, newsOf, sumsOf } from './announcer.ts';
import styles from './arrival-card.module.css';
import type { Arrival } from './live-tips.ts';

const ArrivedTips = lazy(() =>
  import('./arrived-tips.tsx').then(({ ArrivedTips }) => ({ default: ArrivedTips })),
);

interface ArrivalCardProps {
  readonly arrival: Arrival;
  /** False where the screen shows the last tip itself, so that only screen readers are told. */
  readonly isDrawn: boolean;
  /** What stands below the sums. */
  readonly children: ReactNode;
}

/** The place is always drawn, because screen readers announce only changes within an element. */
export function ArrivalCard({ arrival: { tips, dismiss }, isDrawn, children }: ArrivalCardProps) {
  const [first] = tips;
  const news = first && newsOf(tips);
  return (
    <div className={styles.arrival}>
      <p role="status" className="visually-hidden">
        {news}
      </p>
      {first && isDrawn && (
        // A tip is shown even when its card could not be fetched.
        <Later
          otherwise={
            <div className={card.card}>
              <p aria-hidden="true">{news}</p>
              {children}
            </div>
          }
        >
          {/* The key animates a new card, and not one that grows. */}
          <ArrivedTips
            key={first.id}
            count={tips.length}
            sums={sumsOf(tips)}
            written={messagesOf(tips)}
            onDismiss={dismiss}
          >
            {children}
          </ArrivedTips>
        </Later>
      )}
    </div>
  );
}
