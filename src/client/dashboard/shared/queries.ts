import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { QrCode } from '#shared/qr-codes.ts';
import type { TipSummary, Transaction, TransactionPage } from '#shared/tips.ts';
import { failureOf } from '../../api-client/api.ts';
import { allTransactions, listingKey, trpc } from '../../signed-in/api-hooks.ts';
import { type KeptUser, readKeptDashboard } from '../../signed-in/kept-dashboard.ts';
import type { queryOf } from '../../signed-in/later/tip-filter.ts';
import { useNewDay } from '../../signed-in/new-day.ts';
import { FRESH, type Part, partOf } from '../../signed-in/part.ts';
import { timeZoneHere } from '../../signed-in/time-here.ts';
import { toastError } from '../../toasts.ts';

const ASK_AGAIN_MS = 300_000;
/** The most that the server gives at once; its own name for it would bring all schemas of tips along. */
const MAX_ROWS = 200;

export const LOAD_FAILED = 'Failed to load dashboard data';

type ListingInput = typeof allTransactions &
  Partial<ReturnType<typeof queryOf>> & { readonly dayStartHour?: number };

interface PageParam {
  readonly cursor: string | null;
  readonly index: number;
}

type Pages = InfiniteData<TransactionPage, PageParam>;

const FIRST_PAGE: PageParam = { cursor: null, index: 0 };

export interface Listing {
  readonly transactions: readonly Transaction[];
  readonly pageCount: number;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
}

export interface DashboardData {
  readonly summary: Part<TipSummary>;
  readonly qrCodes: Part<readonly QrCode[]>;
  readonly transactions: Part<Listing>;
  readonly isLoading: boolean;
  readonly isFailing: boolean;
  readonly retry: () => void;
}

/** @param isQuiet raises no toast of failures, because guests look at the screen, or the screen says so itself. */
export function useDashboardData(
  { id, isServiceProvider }: KeptUser,
  { isQuiet }: { readonly isQuiet: boolean },
): DashboardData {
  const [keptCodes] = useState(readKeptDashboard);
  const summary = trpc.transactions.summary.useQuery({ timeZone: timeZoneHere() }, FRESH);
  const qrCodes = trpc.qrCodes.list.useQuery(undefined, {
    ...FRESH,
    enabled: isServiceProvider,
    // A code that fills a screen all night may be paused or replaced on another device.
    refetchInterval: isQuiet && ASK_AGAIN_MS,
    // The kept codes are shown until the server answers, and stay when it does not.
    initialData: () => (keptCodes && keptCodes.user.id === id ? [...keptCodes.codes] : undefined),
    initialDataUpdatedAt: 0,
  });
  const { pages, listing } = useListing(allTransactions, true);

  const utils = trpc.useUtils();
  useNewDay(() => void utils.transactions.summary.invalidate());

  const failed = [
    summary,
    qrCodes,
    // The list is right without the next page.
    ...(pages.isFetchNextPageError ? [] : [pages]),
  ].filter(({ isError }) => isError);
  const isFailing = failed.length > 0;
  // Of what is shown already a line tells that it may be out of date (overview.tsx).
  const missing = failed.find(({ data }) => data === undefined);
  const isMissing = missing !== undefined;
  const toastFailure = useEffectEvent(() => toastError(failureOf(missing?.error).detail ?? LOAD_FAILED));
  useEffect(() => {
    if (isMissing && !isQuiet) toastFailure();
  }, [isMissing, isQuiet]);

  return {
    summary: partOf(summary, (data) => data),
    qrCodes: isServiceProvider ? partOf(qrCodes, (data) => data) : { status: 'ready', data: [] },
    transactions: listing,
    isLoading: [summary, qrCodes, pages].some(({ isLoading }) => isLoading),
    isFailing,
    retry: () => {
      for (const { refetch } of failed) void refetch();
    },
  };
}

/** While another input is loaded the former listing stays, unless it is empty: that would seem to be the answer. */
export function useListing(input: ListingInput, enabled: boolean) {
  const { client } = trpc.useUtils();
  const queryClient = useQueryClient();
  const itself = { queryKey: listingKey(input), exact: true };
  const pages = useInfiniteQuery({
    ...FRESH,
    enabled,
    queryKey: itself.queryKey,
    queryFn: ({ pageParam: { cursor, index } }) => {
      // A page has as many rows as all before it, and room for what came live, so that the list is loaded again with
      // all of its rows in few calls.
      const rows = queryClient.getQueryData<Pages>(itself.queryKey)?.pages[index]?.transactions.length ?? 0;
      const limit = Math.min(Math.max(rows, input.limit, input.limit * 2 ** (index - 1)), MAX_ROWS);
      return client.transactions.list.query({ ...input, limit, cursor });
    },
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ nextCursor }, { length }): PageParam | null =>
      nextCursor === null ? null : { cursor: nextCursor, index: length },
    placeholderData: (former) => (former?.pages[0]?.transactions.length ? former : undefined),
  });

  async function loadMore(): Promise<void> {
    if (pages.isFetchingNextPage || pages.isPlaceholderData) return;
    const wasReloading = queryClient.isFetching(itself) > 0;
    const { isFetchNextPageError, error } = await pages.fetchNextPage();
    // The next page took the place of a reload, which would have refreshed the pages before.
    if (wasReloading) void queryClient.invalidateQueries(itself);
    if (isFetchNextPageError) toastError(failureOf(error).detail ?? LOAD_FAILED);
  }

  const listing: Part<Listing> = partOf(pages, (data) => ({
    transactions: data.pages.flatMap(({ transactions }) => transactions),
    pageCount: data.pages.length,
    hasMore: pages.hasNextPage,
    isLoadingMore: pages.isFetchingNextPage,
    loadMore: () => void loadMore(),
  }));
  return { pages, listing };
}
