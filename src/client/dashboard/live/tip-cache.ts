/**
 * Adds tips that have just happened to the cache.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Transaction } from '#shared/tips.ts';
import { transactionsKey, trpc } from '../../session/api-hooks.ts';
import { transactionsInput } from '../queries.ts';

export function useTipCache() {
  const utils = trpc.useUtils();
  const queryClient = useQueryClient();
  const [reloadSums] = useState(() => oneAtATime(() => utils.transactions.summary.invalidate()));
  const [reloadList] = useState(() =>
    oneAtATime(async () => {
      // An invalidation would cancel the query of a next page, and nothing would repeat it.
      const asked = queryClient.getQueryCache().findAll({ queryKey: transactionsKey });
      await Promise.allSettled(asked.map(({ promise }) => promise));
      await utils.transactions.list.invalidate();
    }),
  );
  return {
    /** Puts the tip on top of the list, and loads the sums again. */
    add(tip: Transaction): void {
      reloadSums();
      if (queryClient.isFetching({ queryKey: transactionsKey }) > 0) {
        // The query under way may have been answered before the tip: the list is loaded again after it.
        reloadList();
        return;
      }
      utils.transactions.list.setInfiniteData(transactionsInput, (loaded) => {
        const [newest, ...older] = loaded?.pages ?? [];
        if (!loaded || !newest || newest.transactions.some(({ id }) => id === tip.id)) return loaded;
        return { ...loaded, pages: [{ ...newest, transactions: [tip, ...newest.transactions] }, ...older] };
      });
    },
    /** Loads again everything that tips change. */
    reload(): void {
      reloadSums();
      reloadList();
    },
  };
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
