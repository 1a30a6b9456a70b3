/** The card of tips that have just arrived, which looks like the notice in the landing page's picture. */
import { formatUsd } from '#shared/money.ts';
import { newsOf, originOf, sentenceOf, sumOf, wordsOf } from './announcer.ts';
import type { Arrival } from './arrival.ts';
import styles from './arrival-card.module.css';

interface ArrivalCardProps {
  readonly arrival: Arrival;
  /** Whether guests look at the screen, for whom nothing was written. */
  readonly facesGuests?: boolean;
}

/** The card is always drawn, empty while nothing has arrived, because screen readers announce only what changes in an element that is there. */
export function ArrivalCard({ arrival: { tips, dismiss }, facesGuests = false }: ArrivalCardProps) {
  const [first] = tips;
  return (
    <div className={styles.arrival}>
      <p role="status" className="visually-hidden">
        {first && (facesGuests ? sentenceOf : newsOf)(tips)}
      </p>
      {first && (
        // The key lets a new card arrive in its own right, and one that grows stand still.
        <div key={first.id} className={styles.card} data-arrival>
          <svg viewBox="-28 -28 56 56" aria-hidden="true" className={styles.sign}>
            <circle key={tips.length} r="22" className={styles.ring} />
            <circle r="22" className={styles.coin} />
            <path d="M0-14c6 9 10 13 10 19a10 10 0 0 1-20 0c0-6 4-10 10-19z" className={styles.drop} />
          </svg>
          {/* The sentence above says the same. */}
          <p aria-hidden="true" className={styles.words}>
            <span className={styles.line}>
              <span>You received</span> <span className={styles.origin}>{originOf(tips)}</span>
            </span>
            <span className={styles.sum}>+{formatUsd(sumOf(tips))}</span>
            {!facesGuests &&
              wordsOf(tips).map((line) => (
                <span key={line} dir="auto" className={styles.written}>
                  {line}
                </span>
              ))}
          </p>
          <button type="button" aria-label="Dismiss" className={styles.dismiss} onClick={dismiss}>
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d="m6 6 12 12M18 6 6 18" />
            </svg>
          </button>
        </div>
      )}
    </div>
  );
}
