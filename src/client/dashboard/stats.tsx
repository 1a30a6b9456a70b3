/** The four numbers of the dashboard: a customer's sums, and a line below a provider's codes. */
import type { ReactNode } from 'react';
import { type Cents, formatMoney } from '#shared/money.ts';
import type { Part } from '../signed-in/part.ts';
import { useIsSuspended } from '../signed-in/signed-in-data.tsx';
import { SimulatedMoney } from '../ui/simulated-money.tsx';
import { Skeleton } from '../ui/states.tsx';
import type { DashboardData } from './shared/queries.ts';
import { arrivingOf } from './shared/tonight.ts';
import styles from './stats.module.css';

/** In characters: the length of "$99,999.99". Longer ones are written smaller. */
const MAX_SHORT_SUM_LENGTH = 10;

interface StatsProps {
  readonly isServiceProvider: boolean;
  readonly data: DashboardData;
}

export function Stats({ isServiceProvider, data: { summary, qrCodes } }: StatsProps) {
  const isSuspended = useIsSuspended();
  const received = (
    <Stat label="Tips Received" isMoney part={summary}>
      {({ totalTipsReceivedCents }) => <Sum amountCents={totalTipsReceivedCents} />}
    </Stat>
  );
  const given = (
    <Stat label="Tips Given" isMoney isLeading={!isServiceProvider} part={summary}>
      {({ totalTipsGivenCents }) => <Sum amountCents={totalTipsGivenCents} />}
    </Stat>
  );
  const today = (
    <Stat label="Received Today" part={summary}>
      {({ receivedTodayCount }) => receivedTodayCount}
    </Stat>
  );
  return (
    <div className={styles.frame} data-compact={isServiceProvider}>
      <dl className={styles.stats}>
        {isServiceProvider ? received : given}
        {isServiceProvider ? given : received}
        {today}
        <Stat label="Active QR Codes" part={qrCodes}>
          {(codes) => codes.filter(({ status }) => status === 'active' && !isSuspended).length}
        </Stat>
      </dl>
      <div className={styles.note}>
        {summary.status === 'ready' && summary.data.totalTipsReceivedArrivingCents > 0 && (
          <p>Tips Received: {arrivingOf(summary.data.totalTipsReceivedArrivingCents)}</p>
        )}
        <SimulatedMoney />
      </div>
    </div>
  );
}

interface StatProps<Data> {
  readonly label: string;
  readonly isMoney?: boolean;
  readonly isLeading?: boolean;
  readonly part: Part<Data>;
  readonly children: (data: Data) => ReactNode;
}

function Stat<Data>({ label, isMoney = false, isLeading = false, part, children }: StatProps<Data>) {
  return (
    <div className={styles.stat} data-leading={isLeading}>
      <dt>{label}</dt>
      <dd className={styles.value} data-money={isMoney}>
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

function Sum({ amountCents }: { readonly amountCents: Cents }) {
  // The code of a currency may stand in a line of its own, which the space that comes with it would not allow.
  const words = formatMoney(amountCents).split(/\s/);
  return <span data-long={words.some(({ length }) => length > MAX_SHORT_SUM_LENGTH)}>{words.join(' ')}</span>;
}
