/** The Insights tab: a provider's earnings over time, by hour of the week and by service. */

import { ChartColumn } from 'lucide-react';
import { useState } from 'react';
import { Link, useSearch } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { formatMoney } from '#shared/money.ts';
import type { Insights as Earnings, Granularity } from '#shared/records.ts';
import { dashboardTab } from '../../later/addresses.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { Empty } from '../../signed-in/empty.tsx';
import { useToday } from '../../signed-in/new-day.ts';
import { FRESH, partOf } from '../../signed-in/part.ts';
import { timeZoneHere } from '../../signed-in/time-here.ts';
import card from '../../ui/card.module.css';
import { Money } from '../../ui/money.tsx';
import { Loading, Problem, Skeleton } from '../../ui/states.tsx';
import { focusPanel } from '../shared/fetched.tsx';
import { Controls } from './controls.tsx';
import { EarningsChart } from './earnings-chart.tsx';
import { EarningsNumbers, EarningsTotal, WentBack } from './earnings-numbers.tsx';
import { compare, formatPeriod, formatShare, formatTipCount, percentOf } from './format.ts';
import { Hours } from './hours.tsx';
import styles from './insights.module.css';
import { Links } from './links.tsx';
import { viewIn } from './view.ts';

export function Insights({ user }: { readonly user: User }) {
  const search = useSearch();
  const today = useToday(user.dayStartHour ?? 0);
  const view = viewIn(new URLSearchParams(search), today);
  const { granularity, from, to, serviceCategory } = view;
  const query = trpc.transactions.insights.useQuery(
    {
      granularity,
      from,
      to,
      timeZone: timeZoneHere(),
      ...(serviceCategory !== null && { serviceCategory }),
    },
    { ...FRESH, placeholderData: formerEarnings },
  );
  const earnings = partOf(query, (data) => data);
  const [shown, setShown] = useState(granularity);
  const isFormer = query.isPlaceholderData;
  if (earnings.status === 'ready' && !isFormer && shown !== granularity) setShown(granularity);

  function retry() {
    focusPanel();
    void query.refetch();
  }

  return (
    <div className={styles.insights}>
      <Controls
        user={user}
        view={view}
        today={today}
        earned={earnings.status === 'ready' ? earnings.data.byService.map((one) => one.serviceCategory) : []}
      />
      <Links user={user} view={view} />
      <p role="status" className="visually-hidden">
        {earnings.status === 'ready' && !isFormer && spoken(earnings.data, granularity)}
      </p>
      {earnings.status === 'loading' && (
        <Loading text="Loading insights...">
          <Skeleton height="tall" />
          <Skeleton height="tall" />
        </Loading>
      )}
      {earnings.status === 'failed' && (
        <Problem title="Failed to load insights" onRetry={retry}>
          <p>Nothing is lost. Please try again in a moment.</p>
        </Problem>
      )}
      {earnings.status === 'ready' && (
        <div className={styles.answer} aria-busy={isFormer}>
          <Charts earnings={earnings.data} granularity={shown} isLatest={view.isLatest} />
        </div>
      )}
    </div>
  );
}

/** The former period stands until the next one has come. One without tips would be taken for the next one. */
function formerEarnings(former: Earnings | undefined): Earnings | undefined {
  return former?.count === 0 ? undefined : former;
}

interface ChartsProps {
  readonly earnings: Earnings;
  readonly granularity: Granularity;
  readonly isLatest: boolean;
}

function Charts({ earnings, granularity, isLatest }: ChartsProps) {
  if (earnings.count === 0) {
    return (
      <Empty icon={<ChartColumn />} title="No tips in this period">
        <p>
          {earnings.before.count === 0
            ? 'There were none in the one before either.'
            : `You earned ${formatMoney(earnings.before.netCents)} in the one before, ` +
              `from ${formatTipCount(earnings.before.count)}.`}
        </p>
        <WentBack earnings={earnings} />
        {isLatest && earnings.before.count === 0 && (
          <p>
            Put your code where people pay. <Link href={dashboardTab('qr-codes')}>Open QR Codes</Link>
          </p>
        )}
      </Empty>
    );
  }
  return (
    <>
      <section className={[card.card, styles.part].join(' ')} aria-labelledby="earnings">
        <EarningsTotal earnings={earnings} comparison={compare(earnings, granularity)} />
        <EarningsChart earnings={earnings} granularity={granularity} />
        <EarningsNumbers earnings={earnings} />
        <WentBack earnings={earnings} />
      </section>
      <section className={[card.card, styles.part].join(' ')} aria-labelledby="hours">
        <h2 id="hours">When tips come</h2>
        <Hours byHour={earnings.byHour} dayStartHour={earnings.dayStartHour} />
      </section>
      {earnings.byService.length > 1 && (
        <section className={[card.card, styles.part].join(' ')} aria-labelledby="earnings-by-service">
          <h2 id="earnings-by-service">By service</h2>
          <ServiceShares earnings={earnings} />
        </section>
      )}
    </>
  );
}

/** Screen readers say it when another period has come. */
function spoken(earnings: Earnings, granularity: Granularity): string {
  const period = formatPeriod(earnings, granularity);
  return earnings.count === 0
    ? `${period}: no tips`
    : `${period}: ${formatMoney(earnings.netCents)} from ${formatTipCount(earnings.count)}`;
}

function ServiceShares({ earnings }: { readonly earnings: Earnings }) {
  const { byService, netCents: all } = earnings;
  const services = byService.toSorted((one, other) => other.netCents - one.netCents);
  return (
    <div className={styles.byService}>
      <table className={styles.services}>
        <caption className="visually-hidden">Earnings by service, the largest first</caption>
        <thead>
          <tr>
            <th scope="col">Service</th>
            <th scope="col">Tips</th>
            <th scope="col">Earnings</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {services.map(({ serviceCategory, count, netCents }) => (
            <tr key={serviceCategory}>
              <th scope="row">
                {CATEGORY_LABELS[serviceCategory]}
                <svg className={styles.track} aria-hidden="true">
                  <rect className={styles.bar} width={`${percentOf(netCents, all)}%`} height="100%" />
                </svg>
              </th>
              <td>{count.toLocaleString(PAGE_LANGUAGE)}</td>
              <td className={styles.sum}>
                <Money amountCents={netCents} />
              </td>
              <td>{formatShare(netCents, all)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
