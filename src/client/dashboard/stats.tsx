/** The four numbers of the dashboard. Those that matter to the account's role come first. */
import type { ReactNode } from 'react';
import { type Cents, formatUsd } from '#shared/money.ts';
import type { Part } from '../signed-in/part.ts';
import { Money } from '../ui/money.tsx';
import { SimulatedMoney } from '../ui/simulated-money.tsx';
import { Skeleton } from '../ui/states.tsx';
import type { DashboardData } from './shared/queries.ts';
import styles from './stats.module.css';

/** In characters: the length of "$99,999.99". Longer sums are written smaller. */
const MAX_SHORT_SUM_LENGTH = 10;

interface StatsProps {
  readonly isServiceProvider: boolean;
  readonly data: DashboardData;
}

export function Stats({ isServiceProvider, data: { summary, qrCodes } }: StatsProps) {
  const received = (
    <Stat label="Tips Received" isMoney isLeading={isServiceProvider} part={summary}>
      {({ totalTipsReceivedCents }) => <Sum amountCents={totalTipsReceivedCents} />}
    </Stat>
  );
  const given = (
    <Stat label="Tips Given" isMoney isLeading={!isServiceProvider} part={summary}>
      {({ totalTipsGivenCents }) => <Sum amountCents={totalTipsGivenCents} />}
    </Stat>
  );
  const today = (
    <Stat
      label="Received Today"
      isLeading={isServiceProvider}
      part={summary}
      below={
        isServiceProvider
          ? ({ receivedTodayCents }) => <TodaysSum amountCents={receivedTodayCents} />
          : undefined
      }
    >
      {({ receivedTodayCount }) => receivedTodayCount}
    </Stat>
  );
  return (
    <div className={styles.frame}>
      <dl className={styles.stats}>
        {isServiceProvider ? (
          <>
            {received}
            {today}
            {given}
          </>
        ) : (
          <>
            {given}
            {received}
            {today}
          </>
        )}
        <Stat label="Active QR Codes" part={qrCodes}>
          {(codes) => codes.filter(({ status }) => status === 'active').length}
        </Stat>
      </dl>
      <div className={styles.note}>
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
  /** The place of the second line is kept while it loads. */
  readonly below?: ((data: Data) => ReactNode) | undefined;
}

function Stat<Data>({ label, isMoney = false, isLeading = false, part, children, below }: StatProps<Data>) {
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
      {below && <dd className={styles.below}>{part.status === 'ready' && below(part.data)}</dd>}
    </div>
  );
}

function Sum({ amountCents }: { readonly amountCents: Cents }) {
  return (
    <span data-long={formatUsd(amountCents).length > MAX_SHORT_SUM_LENGTH}>
      <Money amountCents={amountCents} />
    </span>
  );
}

function TodaysSum({ amountCents }: { readonly amountCents: Cents }) {
  return (
    <>
      <span className="visually-hidden">Sum of today's tips: </span>
      <Sum amountCents={amountCents} />
    </>
  );
}
