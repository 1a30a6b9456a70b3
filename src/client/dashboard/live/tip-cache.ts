/** Keeps the cache up to date with tips that have just happened or changed. */
import {
  hashKey,
  type InfiniteData,
  type Query,
  type QueryClient,
  type QueryFilters,
  useQueryClient,
} from '@tanstack/react-query';
import { useState } from 'react';
import type { Transaction, TransactionPage } from '#shared/tips.ts';
import { allTransactions, listingKey, transactionsKey, trpc } from '../../signed-in/api-hooks.ts';

export function useTipCache() {
  const utils = trpc.useUtils();
  const queryClient = useQueryClient();
  const [reloadSums] = useState(() =>
    oneAtATime(async () => {
      const { summary, sums, insights } = utils.transactions;
      await Promise.all([summary, sums, insights].map((query) => query.invalidate()));
    }),
  );
  const [reloadLists] = useState(() => oneAtATime(() => reload({ queryKey: transactionsKey })));
  const [reloadFiltered] = useState(() =>
    oneAtATime(() => reload({ queryKey: transactionsKey, predicate: isFiltered })),
  );

  async function reload(lists: QueryFilters): Promise<void> {
    // An invalidation would cancel the query of a next page, which nothing repeats. There may be another one
    // afterwards, because a next page takes the place of the query under way.
    while (queryClient.isFetching(lists) > 0) {
      const asked = queryClient.getQueryCache().findAll(lists);
      await Promise.allSettled(asked.map(({ promise }) => promise));
    }
    await queryClient.invalidateQueries(lists);
  }

  return {
    /** Puts the tip on top of the full list. The server has to sum and to filter the rest again. */
    add(tip: Transaction): void {
      reloadSums();
      if (queryClient.isFetching({ queryKey: transactionsKey }) > 0) {
        // The query under way may not know the tip.
        reloadLists();
        return;
      }
      reloadFiltered();
      utils.transactions.list.setInfiniteData(allTransactions, (loaded) => {
        const [newest, ...older] = loaded?.pages ?? [];
        if (!loaded || !newest || newest.transactions.some(({ id }) => id === tip.id)) return loaded;
        return { ...loaded, pages: [{ ...newest, transactions: [tip, ...newest.transactions] }, ...older] };
      });
    },
    /** Shows new messages of a tip. No money has moved, so that sums stay. @returns as `showChanged` does. */
    change: (tip: Transaction): boolean => showChanged({ client: queryClient, reload: reloadLists }, tip),
    reload(): void {
      reloadSums();
      reloadLists();
    },
  };
}

interface Lists {
  readonly client: QueryClient;
  /** Loads the lists again, after a query under way. */
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
  // The query under way may not know the change.
  if (client.isFetching(filters) > 0) reload();
  return known;
}

function pageWith(page: TransactionPage, tip: Transaction): TransactionPage {
  return { ...page, transactions: page.transactions.map((one) => (one.id === tip.id ? tip : one)) };
}

/** Whether a listing leaves some transactions out. */
function isFiltered({ queryHash }: Query): boolean {
  return queryHash !== hashKey(listingKey(allTransactions));
}

/** Runs `work` once more after its end if it was called meanwhile: many tips are two requests. */
function oneAtATime(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;
  return async function run() {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await work();
    }
    isRunning = false;
  };
}
