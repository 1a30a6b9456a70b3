/** The card of arrived tips, fetched with the first tip. */
import { type ReactNode, useEffect } from 'react';
import { CARD_PLACED } from '../../ui/later/toaster.tsx';
import type { sumsOf } from './announcer.ts';
import styles from './arrived-tips.module.css';

interface ArrivedTipsProps {
  readonly count: number;
  readonly sums: ReturnType<typeof sumsOf>;
  readonly written: readonly string[];
  readonly onDismiss: () => void;
  /** What stands below the sums. */
  readonly children: ReactNode;
}

export function ArrivedTips({ count, sums, written, onDismiss, children }: ArrivedTipsProps) {
  const { given, kept, service } = sums;
  useEffect(() => {
    const tell = () => {
      document.dispatchEvent(new Event(CARD_PLACED));
    };
    tell();
    return tell;
  }, []);
  return (
    <div className={styles.card} data-arrival>
      <svg viewBox="-28 -28 56 56" aria-hidden="true" className={styles.sign}>
        <circle key={count} r="22" className={styles.ring} />
        <circle r="22" className={styles.coin} />
        <path d="M0-14c6 9 10 13 10 19a10 10 0 0 1-20 0c0-6 4-10 10-19z" className={styles.drop} />
      </svg>
      <div className={styles.words}>
        {/* Screen readers are told the same beside the card. */}
        <p aria-hidden="true" className={styles.words}>
          {service !== null && <span className={styles.line}>{service}</span>}
          <span className={styles.sum}>{given}</span>
          <span className={styles.line}>{kept}</span>
          {written.map((line) => (
            <span key={line} dir="auto" className={styles.written}>
              {line}
            </span>
          ))}
        </p>
        {children}
      </div>
      <button type="button" aria-label="Dismiss" className={styles.dismiss} onClick={onDismiss}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="m6 6 12 12M18 6 6 18" />
        </svg>
      </button>
    </div>
  );
}
