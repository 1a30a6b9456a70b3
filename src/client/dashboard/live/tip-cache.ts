/** Keeps the cache up to date with tips that have just happened or changed. */
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
    // An invalidation would cancel the query of a next page, which nothing repeats. Another one may follow it.
    while (queryClient.isFetching(lists) > 0) {
      const asked = queryClient.getQueryCache().findAll(lists);
      await Promise.allSettled(asked.map(({ promise }) => promise));
    }
    await queryClient.invalidateQueries(lists);
  }

  return {
    /** Puts the tip on top of the full list if it is new to it. The server has to sum and to filter the rest again. */
    add(tip: Transaction): void {
      reloadSums();
      const shown =
        utils.transactions.list
          .getInfiniteData(allTransactions)
          ?.pages.flatMap(({ transactions }) => transactions) ?? [];
      const isShown = shown.some(({ id }) => id === tip.id);
      const isNewest = shown.every(({ createdAt }) => createdAt <= tip.createdAt);
      if (queryClient.isFetching({ queryKey: transactionsKey }) > 0 || !(isShown || isNewest)) {
        // The query under way may not know the tip, and only the server knows the place of an older one.
        reloadLists();
        return;
      }
      reloadFiltered();
      if (isShown) return;
      utils.transactions.list.setInfiniteData(allTransactions, (loaded) => {
        const [newest, ...older] = loaded?.pages ?? [];
        if (!loaded || !newest) return loaded;
        return { ...loaded, pages: [{ ...newest, transactions: [tip, ...newest.transactions] }, ...older] };
      });
    },
    lists: { client: queryClient, reload: reloadLists },
    reloadSums,
    reload(): void {
      reloadSums();
      reloadLists();
    },
  };
}

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
