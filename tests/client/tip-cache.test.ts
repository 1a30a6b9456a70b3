/** Where a tip of the stream stands in the list, which may know it already, and more than it. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Transaction } from '#shared/tips.ts';
import { stubPage, stubStorage } from './browser.ts';
import { transaction } from './transaction.ts';

/** Tips, the newest first. */
const tips = Array.from({ length: 8 }, (_, index) =>
  transaction(10, { createdAt: `2026-05-15T12:00:0${9 - index}.000Z` }),
);

/** A dashboard that has loaded these pages of the list. */
async function openList(...pages: readonly (readonly Transaction[])[]) {
  vi.resetModules();
  const { allTransactions, listingKey, trpc, trpcClient } = await import('#client/signed-in/api-hooks.ts');
  const { useTipCache } = await import('#client/dashboard/live/tip-cache.ts');
  const client = new QueryClient();
  const key = listingKey(allTransactions);
  client.setQueryData(key, {
    pages: pages.map((transactions) => ({ transactions, nextCursor: 'more' })),
    pageParams: pages.map(() => null),
  });
  let cache: ReturnType<typeof useTipCache> | undefined;
  const children = createElement(() => {
    cache = useTipCache();
    return null;
  });
  const page = createElement(() => trpc.Provider({ client: trpcClient, queryClient: client, children }));
  renderToString(createElement(QueryClientProvider, { client }, page));
  return {
    add: (tip: Transaction) => cache?.add(tip),
    shown: () =>
      client
        .getQueryData<{ pages: { transactions: Transaction[] }[] }>(key)
        ?.pages.map(({ transactions }) => transactions),
    isToBeLoadedAnew: () => client.getQueryState(key)?.isInvalidated,
  };
}

beforeEach(() => {
  stubStorage('localStorage');
  stubPage();
});

afterEach(() => {
  vi.unstubAllGlobals();
});

it('a tip that is newer than the list stands on top, also of an empty one', async () => {
  const list = await openList(tips.slice(2, 4), tips.slice(4, 6));
  for (const tip of [tips[1], tips[0]]) if (tip) list.add(tip);
  expect(list.shown()).toEqual([tips.slice(0, 4), tips.slice(4, 6)]);
  expect(list.isToBeLoadedAnew()).toBe(false);
  const empty = await openList([]);
  for (const tip of tips.slice(0, 1)) empty.add(tip);
  expect(empty.shown()).toEqual([tips.slice(0, 1)]);
});

it('a tip that any loaded page has already is not shown twice', async () => {
  const list = await openList(tips.slice(0, 2), tips.slice(2, 4));
  for (const tip of tips.slice(0, 4).reverse()) list.add(tip);
  expect(list.shown()).toEqual([tips.slice(0, 2), tips.slice(2, 4)]);
  expect(list.isToBeLoadedAnew()).toBe(false);
});

it('a tip that no page has, and that is older than the list, has it loaded anew', async () => {
  const list = await openList(tips.slice(0, 2));
  for (const tip of tips.slice(2, 3)) list.add(tip);
  expect(list.shown()).toEqual([tips.slice(0, 2)]);
  await vi.waitFor(() => expect(list.isToBeLoadedAnew()).toBe(true));
});
