/** Thanks the guests for tips that arrive, in place of the words below the code. */
import { useEffect, useState } from 'react';
import type { Transaction } from '#shared/tips.ts';
import styles from './guest-thanks.module.css';
import { givenSum, guestsOf, type Moment, momentWith } from './moment.ts';

const GLOW_MS = 2_000;
const SHOWN_MS = 7_000;

/** @returns null while nothing has just arrived. Tips from before shift mode are not shown. */
export function useMoment(tips: readonly Transaction[]): Moment | null {
  const [moment, setMoment] = useState<Moment | null>(null);
  const [known] = useState(() => new Set(tips.map(({ id }) => id)));
  useEffect(() => {
    const fresh = tips.filter(({ id }) => !known.has(id));
    for (const { id } of fresh) known.add(id);
    const now = new Date();
    if (fresh.length > 0) setMoment((present) => momentWith(present, fresh, now.getTime()));
  });

  const lastMs = moment?.lastMs;
  useEffect(() => {
    if (lastMs === undefined) return;
    const dim = setTimeout(
      () => setMoment((present) => present && { ...present, isGlowing: false }),
      GLOW_MS,
    );
    const end = setTimeout(() => setMoment(null), SHOWN_MS);
    return () => {
      clearTimeout(dim);
      clearTimeout(end);
    };
  }, [lastMs]);
  return moment;
}

/** The place is always drawn, because screen readers announce only changes within an element. */
export function GuestThanks({ moment }: { readonly moment: Moment | null }) {
  const sum = moment && givenSum(moment.tips);
  const guests = moment && guestsOf(moment.tips);
  return (
    <div className={styles.place}>
      <p role="status" className="visually-hidden">
        {/* The key announces an equal sum again. */}
        {moment && <span key={moment.sinceMs}>{['Thank you!', sum, guests].filter(Boolean).join(' ')}</span>}
      </p>
      {moment && (
        <p aria-hidden="true" className={styles.thanks} data-thanks>
          <span className={styles.words}>Thank you!</span> <span className={styles.sum}>{sum}</span>{' '}
          {guests && <span>{guests}</span>}
        </p>
      )}
    </div>
  );
}
