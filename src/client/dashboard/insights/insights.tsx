/** The Insights tab: what a provider took in over time, when tips come, and by which service. */
import { ChartColumn } from 'lucide-react';
import { useState } from 'react';
import { useSearch } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { formatUsd } from '#shared/money.ts';
import type { Granularity, Insights as Takings } from '#shared/records.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { Empty } from '../../signed-in/empty.tsx';
import { FRESH, partOf } from '../../signed-in/part.ts';
import { timeZoneHere, todayHere } from '../../signed-in/time-here.ts';
import card from '../../ui/card.module.css';
import { Problem } from '../../ui/states.tsx';
import { useNewDay } from '../shared/new-day.ts';
import { Controls } from './controls.tsx';
import { TakingsChart } from './earnings-chart.tsx';
import { TakingsNumbers, TakingsTotal } from './earnings-numbers.tsx';
import { compare, periodInWords, tipsInWords } from './format.ts';
import { Hours } from './hours.tsx';
import styles from './insights.module.css';
import { InsightsSketch } from './insights-sketch.tsx';
import { ServiceShares } from './service-shares.tsx';
import { viewIn } from './view.ts';

export function Insights({ user }: { readonly user: User }) {
  const search = useSearch();
  const [today, setToday] = useState(todayHere);
  useNewDay(() => setToday(todayHere()));
  const view = viewIn(new URLSearchParams(search), today);
  const { granularity, from, to, serviceCategory } = view;
  const query = trpc.transactions.insights.useQuery(
    {
      ...{ granularity, from, to, timeZone: timeZoneHere() },
      ...(serviceCategory !== null && { serviceCategory }),
    },
    { ...FRESH, placeholderData: formerTakings },
  );
  const takings = partOf(query, (data) => data);
  /** What the bars of the answer stand for that is shown. */
  const [shown, setShown] = useState(granularity);
  const isFormer = query.isPlaceholderData;
  if (takings.status === 'ready' && !isFormer && shown !== granularity) setShown(granularity);

  return (
    <div className={styles.insights}>
      <Controls user={user} view={view} today={today} />
      <p role="status" className="visually-hidden">
        {takings.status === 'ready' && !isFormer && spoken(takings.data, granularity)}
      </p>
      {takings.status === 'loading' && <InsightsSketch />}
      {takings.status === 'failed' && (
        <Problem title="Failed to load insights" onRetry={() => void query.refetch()}>
          <p>Nothing is lost. Please try again in a moment.</p>
        </Problem>
      )}
      {takings.status === 'ready' && (
        <div className={styles.answer} aria-busy={isFormer}>
          <Charts takings={takings.data} granularity={shown} />
        </div>
      )}
    </div>
  );
}

/** The former period stands until the next one has come, so that nothing flickers; one without tips would seem to be the next. */
function formerTakings(former: Takings | undefined): Takings | undefined {
  return former?.count === 0 ? undefined : former;
}

interface ChartsProps {
  readonly takings: Takings;
  readonly granularity: Granularity;
}

function Charts({ takings, granularity }: ChartsProps) {
  if (takings.count === 0) {
    return (
      <Empty icon={<ChartColumn />} title="No tips in this period">
        <p>
          {takings.before.count === 0
            ? 'Nor were there any in the one before.'
            : `You took in ${formatUsd(takings.before.netCents)} in the one before, from ${tipsInWords(takings.before.count)}.`}
        </p>
      </Empty>
    );
  }
  return (
    <>
      <section className={[card.card, styles.part].join(' ')} aria-labelledby="takings">
        <TakingsTotal takings={takings} comparison={compare(takings, granularity)} />
        <TakingsChart takings={takings} granularity={granularity} />
        <TakingsNumbers takings={takings} />
      </section>
      <section className={[card.card, styles.part].join(' ')} aria-labelledby="hours">
        <h2 id="hours">When tips come</h2>
        <Hours byHour={takings.byHour} />
      </section>
      {takings.byService.length > 1 && (
        <section className={[card.card, styles.part].join(' ')} aria-labelledby="services-taken">
          <h2 id="services-taken">By service</h2>
          <ServiceShares takings={takings} />
        </section>
      )}
    </>
  );
}

/** What a screen reader says when another period has come. */
function spoken(takings: Takings, granularity: Granularity): string {
  const period = periodInWords(takings, granularity);
  return takings.count === 0
    ? `${period}: no tips`
    : `${period}: ${formatUsd(takings.netCents)} from ${tipsInWords(takings.count)}`;
}
