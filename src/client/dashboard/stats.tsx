/** The four numbers at the top of the dashboard, as the server counts them. */
import type { ReactNode } from 'react';
import type { TipSummary } from '#shared/tips.ts';
import type { Part } from '../session/part.ts';
import { Money } from '../ui/money.tsx';
import { Skeleton } from '../ui/states.tsx';
import styles from './stats.module.css';

interface StatsProps {
  readonly summary: Part<TipSummary>;
  readonly activeCodes: Part<number>;
}

export function Stats({ summary, activeCodes }: StatsProps) {
  return (
    <dl className={styles.stats}>
      <Stat label="Tips Received" isMoney part={summary}>
        {({ totalTipsReceivedCents }) => <Money amountCents={totalTipsReceivedCents} />}
      </Stat>
      <Stat label="Tips Given" isMoney part={summary}>
        {({ totalTipsGivenCents }) => <Money amountCents={totalTipsGivenCents} />}
      </Stat>
      <Stat label="Received Today" part={summary}>
        {({ receivedTodayCount }) => receivedTodayCount}
      </Stat>
      <Stat label="Active QR Codes" part={activeCodes}>
        {(count) => count}
      </Stat>
    </dl>
  );
}

interface StatProps<Data> {
  readonly label: string;
  readonly isMoney?: boolean;
  readonly part: Part<Data>;
  readonly children: (data: Data) => ReactNode;
}

function Stat<Data>({ label, isMoney = false, part, children }: StatProps<Data>) {
  return (
    <div className={styles.stat} data-money={isMoney}>
      <dt>{label}</dt>
      <dd>
        {part.status === 'ready' && children(part.data)}
        {part.status === 'loading' && (
          <div className={styles.pending}>
            <Skeleton height="line" />
          </div>
        )}
        {part.status === 'failed' && (
          <>
            <span className={styles.missing} aria-hidden="true">
              –
            </span>
            <span className="visually-hidden">not loaded</span>
          </>
        )}
      </dd>
    </div>
  );
}
