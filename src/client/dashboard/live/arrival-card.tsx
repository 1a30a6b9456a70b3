/** The place of the card of tips that have just arrived. */
import { lazy, Suspense } from 'react';
import { formatUsd } from '#shared/money.ts';
import { Boundary } from '../../ui/boundary.tsx';
import card from '../../ui/card.module.css';
import { messagesOf, newsOf, originOf, sentenceOf, sumOf } from './announcer.ts';
import type { Arrival } from './arrival.ts';
import styles from './arrival-card.module.css';

const ArrivedTips = lazy(() =>
  import('./arrived-tips.tsx').then(({ ArrivedTips }) => ({ default: ArrivedTips })),
);

interface ArrivalCardProps {
  readonly arrival: Arrival;
  /** Whether guests look at the screen, for whom nothing was written. */
  readonly facesGuests?: boolean;
}

/** The place is always drawn, empty while nothing has arrived, because screen readers announce only what changes in an element that is there. */
export function ArrivalCard({ arrival: { tips, dismiss }, facesGuests = false }: ArrivalCardProps) {
  const [first] = tips;
  const news = first && (facesGuests ? sentenceOf : newsOf)(tips);
  return (
    <div className={styles.arrival}>
      <p role="status" className="visually-hidden">
        {news}
      </p>
      {first && (
        // No tip goes unseen because its card could not be fetched.
        <Boundary
          fallback={
            <p aria-hidden="true" className={card.card}>
              {news}
            </p>
          }
        >
          <Suspense>
            {/* The key lets a new card arrive in its own right, and one that grows stand still. */}
            <ArrivedTips
              key={first.id}
              count={tips.length}
              origin={originOf(tips)}
              sum={formatUsd(sumOf(tips))}
              written={facesGuests ? [] : messagesOf(tips)}
              onDismiss={dismiss}
            />
          </Suspense>
        </Boundary>
      )}
    </div>
  );
}
