/**
 * What a tip that has just happened does to the cache.
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
      // Asking again would break off a next page that is on its way, and nothing would bring it.
      const asked = queryClient.getQueryCache().findAll({ queryKey: transactionsKey });
      await Promise.allSettled(asked.map(({ promise }) => promise));
      await utils.transactions.list.invalidate();
    }),
  );
  return {
    /** Puts the tip on top of the list, and lets the server count the sums anew. */
    add(tip: Transaction): void {
      reloadSums();
      if (queryClient.isFetching({ queryKey: transactionsKey }) > 0) {
        // An answer that is on its way may have been written before the tip: it is asked for again.
        reloadList();
        return;
      }
      utils.transactions.list.setInfiniteData(transactionsInput, (loaded) => {
        const [newest, ...older] = loaded?.pages ?? [];
        if (!loaded || !newest || newest.transactions.some(({ id }) => id === tip.id)) return loaded;
        return { ...loaded, pages: [{ ...newest, transactions: [tip, ...newest.transactions] }, ...older] };
      });
    },
    /** Asks again for everything that tips change. */
    reload(): void {
      reloadSums();
      reloadList();
    },
  };
}

/** Runs `work` again when it was asked for meanwhile, but once: many tips at one time are not as many requests. */
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
