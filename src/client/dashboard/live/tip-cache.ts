/**
 * Adds tips that have just happened to the cache.
 */
import { hashKey, type Query, type QueryFilters, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Transaction } from '#shared/tips.ts';
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
    // An invalidation would cancel the query of a next page, and nothing would repeat it.
    // A next page ends the query under way and takes its place, so that there may be another to wait for.
    while (queryClient.isFetching(lists) > 0) {
      const asked = queryClient.getQueryCache().findAll(lists);
      await Promise.allSettled(asked.map(({ promise }) => promise));
    }
    await queryClient.invalidateQueries(lists);
  }

  return {
    /** Puts the tip on top of the list of all, and loads again the sums and the lists that only the server can filter. */
    add(tip: Transaction): void {
      reloadSums();
      if (queryClient.isFetching({ queryKey: transactionsKey }) > 0) {
        // The query under way may have been answered before the tip: the list is loaded again after it.
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
    /** For what changes of a tip without any money. */
    lists: { client: queryClient, reload: reloadLists },
    /** Loads again everything that tips change. */
    reload(): void {
      reloadSums();
      reloadLists();
    },
  };
}

/** Whether a listing has not all transactions in it. */
function isFiltered({ queryHash }: Query): boolean {
  return queryHash !== hashKey(listingKey(allTransactions));
}

/** Runs `work` once more after its end if it was called meanwhile, however often: many tips are two requests. */
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
