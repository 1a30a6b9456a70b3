/** The card of tips that have just arrived, which looks like the notice in the landing page's picture. It is fetched with the first tip. */
import styles from './arrived-tips.module.css';

interface ArrivedTipsProps {
  readonly count: number;
  /** The service of a single tip, or how many there are. */
  readonly origin: string;
  readonly sum: string;
  /** What was written, each a line. */
  readonly written: readonly string[];
  readonly onDismiss: () => void;
}

export function ArrivedTips({ count, origin, sum, written, onDismiss }: ArrivedTipsProps) {
  return (
    <div className={styles.card} data-arrival>
      <svg viewBox="-28 -28 56 56" aria-hidden="true" className={styles.sign}>
        <circle key={count} r="22" className={styles.ring} />
        <circle r="22" className={styles.coin} />
        <path d="M0-14c6 9 10 13 10 19a10 10 0 0 1-20 0c0-6 4-10 10-19z" className={styles.drop} />
      </svg>
      {/* What screen readers are told beside the card says the same. */}
      <p aria-hidden="true" className={styles.words}>
        <span className={styles.line}>
          <span>You received</span> <span className={styles.origin}>{origin}</span>
        </span>
        <span className={styles.sum}>+{sum}</span>
        {written.map((line) => (
          <span key={line} dir="auto" className={styles.written}>
            {line}
          </span>
        ))}
      </p>
      <button type="button" aria-label="Dismiss" className={styles.dismiss} onClick={onDismiss}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="m6 6 12 12M18 6 6 18" />
        </svg>
      </button>
    </div>
  );
}
