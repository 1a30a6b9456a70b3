/** The sums of the tips in the list, without refunded ones. */
import type { User } from '#shared/accounts.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { type Cents, cents } from '#shared/money.ts';
import type { TipSums } from '#shared/records.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { isOutOfOrder, queryOf, type TipFilter } from '../../signed-in/later/tip-filter.ts';
import { FRESH, partOf } from '../../signed-in/part.ts';
import { hasFees } from '../../signed-in/told-fees.ts';
import { Money } from '../../ui/money.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { focusPanel } from '../shared/fetched.tsx';
import { nameOfChanges } from '../shared/went-back.ts';
import styles from './filter-bar.module.css';

interface SumsProps {
  readonly user: User;
  readonly filter: TipFilter;
}

export function Sums({ user, filter }: SumsProps) {
  const isAsked = !isOutOfOrder(filter);
  const query = trpc.transactions.sums.useQuery(queryOf(filter), { ...FRESH, enabled: isAsked });
  const sums = partOf(query, (data) => data);
  const isLoading = isAsked && sums.status === 'loading';

  function retry() {
    focusPanel();
    void query.refetch();
  }

  return (
    <div className={styles.sums} role="status" aria-busy={isLoading}>
      {isLoading && <Skeleton height="line" />}
      {sums.status === 'failed' && (
        <p>
          The sum could not be loaded.{' '}
          <button type="button" className={styles.retry} onClick={retry}>
            Retry
          </button>
        </p>
      )}
      {sums.status === 'ready' && <Counted user={user} filter={filter} sums={sums.data} />}
    </div>
  );
}

function Counted({ user, filter, sums }: SumsProps & { readonly sums: TipSums }) {
  const { receivedCount, receivedCents, sentCount, sentCents, paidCents, books } = sums;
  const hasReceived =
    filter.direction === 'received' ||
    (filter.direction === null && (user.isServiceProvider || receivedCount > 0));
  const hasSent =
    filter.direction === 'sent' || (filter.direction === null && (!user.isServiceProvider || sentCount > 0));
  return (
    <>
      {hasReceived && (
        <p>
          Received{' '}
          <strong className={styles.received}>
            <Money amountCents={receivedCents} />
          </strong>{' '}
          net in {tips(receivedCount)}
        </p>
      )}
      {hasSent && (
        <p>
          Sent{' '}
          <strong>
            <Money amountCents={sentCents} />
          </strong>{' '}
          {hasFees('sent', [paidCents - sentCents]) && (
            <>
              (with fees <Money amountCents={paidCents} />){' '}
            </>
          )}
          in {tips(sentCount)}
        </p>
      )}
      <WentBack
        received={hasReceived ? books.receivedChanges.netCents : cents(0)}
        sent={hasSent ? books.sentChanges.paidCents : cents(0)}
        isOfPeriod={filter.from !== null || filter.to !== null}
      />
    </>
  );
}

interface WentBackProps {
  readonly received: Cents;
  readonly sent: Cents;
  readonly isOfPeriod: boolean;
}

function WentBack({ received, sent, isOfPeriod }: WentBackProps) {
  if (received === 0 && sent === 0) return null;
  const hasBoth = received !== 0 && sent !== 0;
  return (
    <p className={styles.wentBack}>
      {nameOfChanges(received + sent)}
      {isOfPeriod && ' in this period'}: {received !== 0 && <Money amountCents={received} />}
      {hasBoth && ' received, '}
      {sent !== 0 && <Money amountCents={sent} />}
      {hasBoth && ' sent'}
    </p>
  );
}

function tips(count: number): string {
  return count === 1 ? '1 tip' : `${count.toLocaleString(PAGE_LANGUAGE)} tips`;
}
