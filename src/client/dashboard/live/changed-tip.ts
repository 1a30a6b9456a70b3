/** Shows in the lists what was written about a tip. No money has moved, so that neither sums nor filters follow. */
import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { Transaction, TransactionPage } from '#shared/tips.ts';
import { transactionsKey } from '../../signed-in/api-hooks.ts';

/** The listings of the account. */
export interface Lists {
  readonly client: QueryClient;
  /** Loads them again, after a query under way. */
  readonly reload: () => void;
}

/**
 * Shows a tip as it is now wherever a list has it.
 * @returns whether a list knew already that its giver was thanked.
 */
export function showChanged({ client, reload }: Lists, tip: Transaction): boolean {
  const filters = { queryKey: transactionsKey };
  const known = client
    .getQueriesData<InfiniteData<TransactionPage>>(filters)
    .flatMap(([, loaded]) => loaded?.pages ?? [])
    .flatMap(({ transactions }) => transactions)
    .some(({ id, thankedAt }) => id === tip.id && thankedAt !== null);
  client.setQueriesData<InfiniteData<TransactionPage>>(
    filters,
    (loaded) => loaded && { ...loaded, pages: loaded.pages.map((page) => pageWith(page, tip)) },
  );
  // The query under way may have been answered before.
  if (client.isFetching(filters) > 0) reload();
  return known;
}

function pageWith(page: TransactionPage, tip: Transaction): TransactionPage {
  return { ...page, transactions: page.transactions.map((one) => (one.id === tip.id ? tip : one)) };
}
