/** The earnings of a period in numbers: the sum, the fees, and figures about its tips. */

import { Equal, TrendingDown, TrendingUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { formatMoney } from '#shared/money.ts';
import type { Insights } from '#shared/records.ts';
import { hasFees } from '../../signed-in/told-fees.ts';
import { Money } from '../../ui/money.tsx';
import { nameOfChanges } from '../shared/went-back.ts';
import styles from './earnings-numbers.module.css';
import { type Comparison, formatDate } from './format.ts';

const SIGNS = { up: <TrendingUp />, down: <TrendingDown />, same: <Equal />, unknown: null } as const;

interface EarningsTotalProps {
  readonly earnings: Insights;
  readonly comparison: Comparison;
}

export function EarningsTotal({ earnings, comparison }: EarningsTotalProps) {
  const { netCents, grossCents, feeCents } = earnings;
  const sign = SIGNS[comparison.direction];
  return (
    <div className={styles.total}>
      <h2 id="earnings">Earnings</h2>
      <p className={styles.net}>
        <Money amountCents={netCents} />
      </p>
      <div className={styles.beside}>
        <p className={styles.comparison}>
          {sign && (
            <span className={styles.sign} aria-hidden="true">
              {sign}
            </span>
          )}
          {comparison.sentence}
        </p>
        {hasFees('received', [feeCents]) && (
          <p className={styles.fees}>
            Before fees {formatMoney(grossCents)}, less {formatMoney(feeCents)} in fees
          </p>
        )}
      </div>
    </div>
  );
}

export function EarningsNumbers({ earnings }: { readonly earnings: Insights }) {
  const { count, feeCents, averageNetCents, largestNetCents, bestDay } = earnings;
  const net = hasFees('received', [feeCents]) && 'after fees';
  return (
    <dl className={styles.numbers}>
      <Figure label="Tips">{count.toLocaleString(PAGE_LANGUAGE)}</Figure>
      <Figure label="Average tip" isMoney below={net}>
        <Money amountCents={averageNetCents} />
      </Figure>
      <Figure label="Largest tip" isMoney below={net}>
        <Money amountCents={largestNetCents} />
      </Figure>
      {bestDay && (
        <Figure label="Best day" isMoney below={formatDate(bestDay.date)}>
          <Money amountCents={bestDay.netCents} />
        </Figure>
      )}
    </dl>
  );
}

/** Refunds and other changes made in the period, also of older tips; null without any. */
export function WentBack({ earnings }: { readonly earnings: Insights }) {
  const { netCents } = earnings.books.changes;
  if (netCents === 0) return null;
  return (
    <p className={styles.fees}>
      {nameOfChanges(netCents)} in this period: <Money amountCents={netCents} />. Earnings count it on the day
      of its tip.
    </p>
  );
}

interface FigureProps {
  readonly label: string;
  readonly isMoney?: boolean;
  readonly below?: string | false;
  readonly children: ReactNode;
}

function Figure({ label, isMoney = false, below = false, children }: FigureProps) {
  return (
    <div className={styles.number}>
      <dt>{label}</dt>
      <dd className={styles.value} data-money={isMoney}>
        {children}
      </dd>
      {below !== false && <dd className={styles.below}>{below}</dd>}
    </div>
  );
}
