/**
 * Everything that the dashboard asks the server, and the only place that writes to its cache.
 */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import type { Session, User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import type { TipSummary, Transaction } from '#shared/tips.ts';
import { failureOf } from '../api.ts';
import { transactionsKey, trpc } from '../session/api-hooks.ts';
import { toastError, toastSuccess } from '../toasts.ts';
import { useNewDay } from './new-day.ts';

export const LOAD_FAILED = 'Failed to load dashboard data';

/** Under these inputs the answers lie in the cache. */
const transactionsInput = { limit: 25 };
const summaryInput = () => ({ timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone });

/** Whoever looks again sees what is true now. */
const FRESH = {
  refetchOnMount: 'always',
  refetchOnReconnect: 'always',
  refetchOnWindowFocus: 'always',
} as const;

/** One part of the dashboard. What was once loaded stays ready, also when asking again has failed. */
export type Part<Data> =
  | { readonly status: 'loading' }
  | { readonly status: 'failed' }
  | { readonly status: 'ready'; readonly data: Data };

/** What was sent and received, newest first, as far as it was loaded. */
export interface Listing {
  readonly transactions: readonly Transaction[];
  readonly pageCount: number;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
}

export interface DashboardData {
  readonly summary: Part<TipSummary>;
  /** Empty for a customer. */
  readonly qrCodes: Part<readonly QrCode[]>;
  readonly transactions: Part<Listing>;
  /** Something is being loaded for the first time. */
  readonly isLoading: boolean;
  /** Something could not be loaded, or not again. */
  readonly isFailing: boolean;
  /** Asks again for what failed. */
  readonly retry: () => void;
}

/**
 * Loads the dashboard and keeps it fresh; a failure is toasted once, however many parts it hits.
 * @param isLeaving from then on nothing is asked: the session is about to end.
 */
export function useDashboardData({ isServiceProvider }: User, isLeaving: boolean): DashboardData {
  const enabled = !isLeaving;
  const summary = trpc.transactions.summary.useQuery(summaryInput(), { ...FRESH, enabled });
  const qrCodes = trpc.qrCodes.list.useQuery(undefined, {
    ...FRESH,
    enabled: enabled && isServiceProvider,
  });
  const pages = trpc.transactions.list.useInfiniteQuery(transactionsInput, {
    ...FRESH,
    enabled,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

  const utils = trpc.useUtils();
  useNewDay(() => void utils.transactions.summary.invalidate());

  const failed = [
    summary,
    qrCodes,
    // A next page that did not come leaves what is shown as true as it was.
    ...(pages.isFetchNextPageError ? [] : [pages]),
  ].filter(({ isError }) => isError);
  const isFailing = failed.length > 0;
  const toastFailure = useEffectEvent(() => toastError(failureOf(failed[0]?.error).detail ?? LOAD_FAILED));
  useEffect(() => {
    if (isFailing) toastFailure();
  }, [isFailing]);

  async function loadMore(): Promise<void> {
    if (pages.isFetchingNextPage) return;
    const { isFetchNextPageError, error } = await pages.fetchNextPage();
    if (isFetchNextPageError) toastError(failureOf(error).detail ?? LOAD_FAILED);
  }

  return {
    summary: partOf(summary, (data) => data),
    qrCodes: isServiceProvider ? partOf(qrCodes, (data) => data) : { status: 'ready', data: [] },
    transactions: partOf(pages, (data) => ({
      transactions: data.pages.flatMap(({ transactions }) => transactions),
      pageCount: data.pages.length,
      hasMore: pages.hasNextPage,
      isLoadingMore: pages.isFetchingNextPage,
      loadMore: () => void loadMore(),
    })),
    isLoading: [summary, qrCodes, pages].some(({ isLoading }) => isLoading),
    isFailing,
    retry: () => {
      for (const { refetch } of failed) void refetch();
    },
  };
}

/** What a tip that has just happened does to the cache. */
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

/** Creates a code; the answer joins the list, so that nothing needs to be loaded again. */
export function useCreateQrCode() {
  const utils = trpc.useUtils();
  return trpc.qrCodes.create.useMutation({
    async onSuccess(code) {
      // A list that was asked for before this code was made would take it away again.
      await utils.qrCodes.list.cancel();
      utils.qrCodes.list.setData(undefined, (codes = []) => [
        ...codes.filter(({ id }) => id !== code.id),
        code,
      ]);
      toastSuccess(`QR code created for ${CATEGORY_LABELS[code.serviceCategory]}`);
    },
    onError(error) {
      const { detail, code } = failureOf(error);
      toastError(detail ?? 'Failed to create QR code');
      // Made elsewhere meanwhile, or by an attempt whose answer was lost: then let it be seen.
      if (code === 'qr_code_exists') void utils.qrCodes.list.invalidate();
    },
  });
}

/** Where the account is logged in. An ending that failed is toasted; one that worked shows in the list. */
export function useSessions() {
  const query = trpc.auth.sessions.useQuery(undefined, FRESH);
  const utils = trpc.useUtils();
  const answered = {
    // Also what was refused may be because the list was old.
    onSettled: () => utils.auth.sessions.invalidate(),
    onError: (error: unknown) => toastError(failureOf(error).detail ?? 'Failed to log the device out'),
  };
  const ending = trpc.auth.endSession.useMutation(answered);
  const endingOthers = trpc.auth.endOtherSessions.useMutation(answered);
  return {
    sessions: partOf(query, (data) => data),
    retry: () => void query.refetch(),
    isEnding: ending.isPending || endingOthers.isPending,
    async end({ id }: Session): Promise<void> {
      await settled(ending.mutateAsync({ id }));
    },
    async endOthers(): Promise<void> {
      await settled(endingOthers.mutateAsync());
    },
  };
}

/** Waits, whatever comes of it; somebody else says so. */
async function settled(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work]);
}

/** @returns a function that asks again where the account is logged in. */
export function useReloadSessions(): () => void {
  const utils = trpc.useUtils();
  return () => void utils.auth.sessions.invalidate();
}

interface QueryState<Answer> {
  readonly data: Answer | undefined;
  readonly isError: boolean;
}

function partOf<Answer, Data>(
  { data, isError }: QueryState<Answer>,
  read: (answer: Answer) => Data,
): Part<Data> {
  if (data !== undefined) return { status: 'ready', data: read(data) };
  return { status: isError ? 'failed' : 'loading' };
}
