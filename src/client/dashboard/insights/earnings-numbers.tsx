/** What a provider took in, in numbers: the sum with what it was before fees, and the numbers that describe its tips. */
import { Equal, TrendingDown, TrendingUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatUsd } from '#shared/money.ts';
import type { Insights } from '#shared/records.ts';
import { Money } from '../../ui/money.tsx';
import styles from './earnings-numbers.module.css';
import { type Comparison, dateInWords } from './format.ts';

const SIGNS = { up: <TrendingUp />, down: <TrendingDown />, same: <Equal />, unknown: null } as const;

interface TakingsTotalProps {
  readonly takings: Insights;
  readonly comparison: Comparison;
}

export function TakingsTotal({ takings, comparison }: TakingsTotalProps) {
  const { netCents, grossCents, feeCents } = takings;
  const sign = SIGNS[comparison.direction];
  return (
    <div className={styles.total}>
      <h2 id="takings">Takings</h2>
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
          {comparison.words}
        </p>
        <p className={styles.fees}>
          Before fees {formatUsd(grossCents)}, less {formatUsd(feeCents)} in fees
        </p>
      </div>
    </div>
  );
}

export function TakingsNumbers({ takings }: { readonly takings: Insights }) {
  const { count, averageNetCents, largestNetCents, bestDay } = takings;
  return (
    <dl className={styles.numbers}>
      <NumberOf label="Tips">{count.toLocaleString('en-US')}</NumberOf>
      <NumberOf label="Average tip" isMoney>
        <Money amountCents={averageNetCents} />
      </NumberOf>
      <NumberOf label="Largest tip" isMoney>
        <Money amountCents={largestNetCents} />
      </NumberOf>
      {bestDay && (
        <NumberOf label="Best day" isMoney below={dateInWords(bestDay.date)}>
          <Money amountCents={bestDay.netCents} />
        </NumberOf>
      )}
    </dl>
  );
}

interface NumberProps {
  readonly label: string;
  readonly isMoney?: boolean;
  readonly below?: string;
  readonly children: ReactNode;
}

function NumberOf({ label, isMoney = false, below, children }: NumberProps) {
  return (
    <div className={styles.number}>
      <dt>{label}</dt>
      <dd className={styles.value} data-money={isMoney}>
        {children}
      </dd>
      {below !== undefined && <dd className={styles.below}>{below}</dd>}
    </div>
  );
}
