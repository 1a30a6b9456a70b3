/** What the tips come to that the list shows, as the server counts them; refunded tips count nowhere. */
import type { User } from '#shared/accounts.ts';
import { trpc } from '../../session/api-hooks.ts';
import { FRESH } from '../../session/part.ts';
import { queryOf, type TipFilter } from '../../tip-filter.ts';
import { Money } from '../../ui/money.tsx';
import { Skeleton } from '../../ui/states.tsx';
import styles from './filter-bar.module.css';

interface SumsProps {
  readonly user: User;
  readonly filter: TipFilter;
}

export function Sums({ user, filter }: SumsProps) {
  const { data, isError, refetch } = trpc.transactions.sums.useQuery(queryOf(filter), FRESH);
  if (data === undefined) {
    return isError ? (
      <p className={styles.sums}>
        The sum could not be loaded.{' '}
        <button type="button" className={styles.retry} onClick={() => void refetch()}>
          Retry
        </button>
      </p>
    ) : (
      <div className={styles.sums} aria-busy="true">
        <Skeleton height="line" />
      </div>
    );
  }
  const { receivedCount, receivedCents, sentCount, sentCents, paidCents } = data;
  const hasReceived =
    filter.direction === 'received' ||
    (filter.direction === null && (user.isServiceProvider || receivedCount > 0));
  const hasSent =
    filter.direction === 'sent' || (filter.direction === null && (!user.isServiceProvider || sentCount > 0));
  return (
    <div className={styles.sums} role="status">
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
          (with fees <Money amountCents={paidCents} />) in {tips(sentCount)}
        </p>
      )}
    </div>
  );
}

function tips(count: number): string {
  return `${count} ${count === 1 ? 'tip' : 'tips'}`;
}
