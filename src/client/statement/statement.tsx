/** A statement: every tip of a period with its sums, to be read, printed or downloaded. */

import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import { useSearch } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { nameOfChanges } from '#shared/entry-labels.ts';
import { type Cents, cents, formatMoney } from '#shared/money.ts';
import type { Insights } from '#shared/records.ts';
import { failureOf } from '../api-client/api.ts';
import { dashboardTab } from '../later/addresses.ts';
import { useToday } from '../signed-in/new-day.ts';
import { SignedInData } from '../signed-in/signed-in-data.tsx';
import { timeZoneHere } from '../signed-in/time-here.ts';
import { hasFees } from '../signed-in/told-fees.ts';
import { Button } from '../ui/button.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { Screen } from '../ui/screen.tsx';
import { Loading, Problem, Skeleton } from '../ui/states.tsx';
import { Actions } from './actions.tsx';
import { Chooser } from './chooser.tsx';
import { showCount } from './counts.ts';
import { showPeriod } from './dates.ts';
import { booksOf, hasDailyRecord, loadStatement, MAX_LISTED, type StatementData } from './load-statement.ts';
import { type StatementQuery, statementIn } from './period.ts';
import { Refunds } from './refunds.tsx';
import { SheetFrame } from './sheet-frame.tsx';
import styles from './statement.module.css';
import { DailyRecord, Months, ReceivedTips, SentTips } from './tables.tsx';

export function Statement({ user }: { readonly user: User }) {
  return (
    <SignedInData user={user}>
      <StatementScreen user={user} />
    </SignedInData>
  );
}

function StatementScreen({ user }: { readonly user: User }) {
  const today = useToday(user.dayStartHour ?? 0);
  const query = statementIn(useSearch(), today, user);
  const place = useRef<HTMLDivElement>(null);
  /** Stays when another period is chosen. */
  const [isUnfolded, setUnfolded] = useState(false);
  const statement = useQuery({
    // Days begin elsewhere when the device has come to another time zone.
    queryKey: ['statement', query, timeZoneHere()],
    queryFn: ({ signal }) => loadStatement(query, signal),
    refetchOnWindowFocus: false,
    // No event tells this screen of a tip or of a refund by the other person, so that its data ends with it.
    gcTime: 0,
  });

  function retry() {
    // The pressed button disappears when the data is there.
    place.current?.focus();
    void statement.refetch();
  }

  return (
    <Screen
      // Browsers write it on printed pages, and save them under this name.
      title={`Statement of ${user.fullName}, ${showPeriod(query.from, query.to)}`}
      actions={
        <div className={styles.onScreen}>
          <ButtonLink href={dashboardTab('transactions')} look="quiet">
            Dashboard
          </ButtonLink>
        </div>
      }
    >
      <div className={styles.statement}>
        <ScreenHeading className={styles.heading}>Statement</ScreenHeading>
        <div className={styles.onScreen}>
          <Chooser query={query} today={today} hasDirections={user.isServiceProvider} />
        </div>
        <Actions query={query} isReady={statement.data !== undefined} />
        <div ref={place} tabIndex={-1}>
          {statement.data ? (
            <Sheet
              place={place}
              user={user}
              query={query}
              data={statement.data}
              isUnfolded={isUnfolded}
              onFold={() => setUnfolded(!isUnfolded)}
            />
          ) : (
            <NotReady error={statement.error} onRetry={retry} />
          )}
        </div>
      </div>
    </Screen>
  );
}

function NotReady({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  if (error === null) {
    return (
      <Loading text="Loading the statement...">
        <Skeleton height="tall" />
      </Loading>
    );
  }
  const { fieldErrors, detail } = failureOf(error);
  // A refused period is refused again.
  const isRefused = fieldErrors.length > 0;
  return (
    <Problem title="The statement could not be loaded" {...(!isRefused && { onRetry })}>
      <p>{fieldErrors[0]?.message ?? detail ?? 'Check your connection and try again.'}</p>
    </Problem>
  );
}

interface SheetProps {
  /** Where it stands, also before it is loaded. */
  readonly place: RefObject<HTMLElement | null>;
  readonly user: User;
  readonly query: StatementQuery;
  readonly data: StatementData;
  /** Whether a screen shows every tip; paper always does. */
  readonly isUnfolded: boolean;
  readonly onFold: () => void;
}

function Sheet({ place, user, query, data, isUnfolded, onFold }: SheetProps) {
  const everyTip = useId();
  useLayoutEffect(
    () => () => {
      // The focus would go with the sheet.
      if (place.current?.contains(document.activeElement)) place.current.focus();
    },
    [place],
  );
  const { tips, hasMore, months, days, changes, since } = data;
  const refunds = nameOfChanges(changes);
  const isEmpty = tips.length + changes.length + since.length === 0;
  const isReceived = query.direction === 'received';
  return (
    <SheetFrame user={user} query={query} data={data}>
      <Totals query={query} data={data} refunds={refunds} />
      {isEmpty ? (
        <p className={styles.soft}>No tips were {query.direction} in this period.</p>
      ) : (
        <>
          {months && hasBooks(months) && <Months earnings={months} refunds={refunds} />}
          {days && hasBooks(days) && (
            <div className={styles.part}>
              <DailyRecord earnings={days} refunds={refunds} />
              <p className={styles.soft}>Days without tips are left out.</p>
            </div>
          )}
          {isReceived && !hasDailyRecord(query) && (
            <p className={styles.soft}>A daily tip record is for a shorter period: choose up to 400 days.</p>
          )}
          <Refunds query={query} data={data} />
          <div className={styles.onScreen}>
            <Button look="quiet" aria-expanded={isUnfolded} aria-controls={everyTip} onClick={onFold}>
              Every Tip ({hasMore && 'Newest '}
              {showCount(tips.length)})
              <ChevronDown aria-hidden className={styles.sign} />
            </Button>
          </div>
          <div id={everyTip} className={[styles.part, styles.folded].join(' ')} data-open={isUnfolded}>
            {isReceived ? <ReceivedTips tips={tips} /> : <SentTips tips={tips} />}
            {hasMore && (
              <p className={styles.soft}>
                Only the newest {showCount(MAX_LISTED)} tips are listed here. Download the CSV for all of
                them; the totals are of all.
              </p>
            )}
          </div>
        </>
      )}
    </SheetFrame>
  );
}

function hasBooks({ books }: Insights): boolean {
  return books.tips.count + books.changes.count > 0;
}

/** The totals of the period: its tips, less money that went back in it. The columns of the CSV add up to them. */
function Totals({
  query,
  data: { sums, months },
  refunds,
}: Pick<SheetProps, 'query' | 'data'> & { readonly refunds: string }) {
  const { receivedTips, receivedChanges, sentTips, sentChanges } = sums.books;
  const { tips, changes } = booksOf(sums, query);
  const counted = changes.count > 0 ? ([[refunds, showCount(changes.count)]] as const) : [];
  const amountCents = cents(sentTips.amountCents + sentChanges.amountCents);
  const paidCents = cents(sentTips.paidCents + sentChanges.paidCents);
  const isReceived = query.direction === 'received';
  const feeCents = isReceived ? sumOf(months, 'feeCents') : cents(paidCents - amountCents);
  const fees = hasFees(query.direction, [feeCents]) ? ([['Fees', formatMoney(feeCents)]] as const) : [];
  const totals: readonly (readonly [string, string, boolean?])[] = isReceived
    ? [
        ['Tips', showCount(tips.count)],
        ...counted,
        ['Gross', formatMoney(sumOf(months, 'grossCents'))],
        ...fees,
        ['Net', formatMoney(cents(receivedTips.netCents + receivedChanges.netCents)), true],
      ]
    : [
        ['Tips', showCount(tips.count)],
        ...counted,
        ['Amount', formatMoney(amountCents)],
        ...fees,
        ['Total paid', formatMoney(paidCents), true],
      ];
  return (
    <dl className={styles.totals}>
      {totals.map(([name, value, isMain]) => (
        <div key={name} data-main={isMain}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function sumOf(months: Insights | null, name: 'grossCents' | 'feeCents'): Cents {
  return months ? cents(months.books.tips[name] + months.books.changes[name]) : cents(0);
}
