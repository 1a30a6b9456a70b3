/**
 * The procedures of the server as hooks with a cache, for the screens behind the login.
 */
import { QueryClient } from '@tanstack/react-query';
import { httpBatchLink, httpSubscriptionLink, splitLink } from '@trpc/client';
import { createTRPCReact, getQueryKey } from '@trpc/react-query';
import { EventSource } from 'eventsource';
import {
  type AppRouter,
  authorization,
  batches,
  endSessionWhenRefused,
  failureOf,
  TRPC_URL,
} from '../api-client/api.ts';
import { learnTime } from '../api-client/server-clock.ts';
import { readToken } from '../session/session.ts';

/** Settles when calls may be sent. */
let hold: Promise<unknown> = Promise.resolve();

/**
 * Keeps the calls of these hooks, and the stream's attempts to connect again, until `leaving` has settled: a
 * call that ends the session does so before it is answered, and whatever is sent in between is refused. When
 * the session has ended they are never sent.
 */
export function holdCalls(leaving: Promise<unknown>): void {
  hold = leaving.catch(() => {});
}

/** @throws Error when there is no session, so that the call would be refused. */
async function mayBeSent(): Promise<void> {
  await hold;
  if (readToken() === null) throw new Error('The session has ended.');
}

export const trpc = createTRPCReact<AppRouter>();
export const trpcClient = trpc.createClient({
  links: [
    endSessionWhenRefused,
    splitLink({
      condition: ({ type }) => type === 'subscription',
      true: httpSubscriptionLink({
        url: TRPC_URL,
        // The browser's own EventSource cannot send headers, and a token must not stand in an address.
        EventSource,
        eventSourceOptions: {
          fetch: async (url, init) => {
            await mayBeSent();
            return fetch(url, { ...init, headers: { ...init.headers, ...authorization() } });
          },
        },
      }),
      false: httpBatchLink({
        ...batches,
        async fetch(url, init) {
          await mayBeSent();
          return learnTime(await fetch(url, { ...init, signal: init?.signal ?? null }));
        },
      }),
    }),
  ],
});

const STALE_AFTER_MS = 10_000;
const MAX_RETRIES = 2;

/** The key of all listings of transactions in the cache, whatever they were asked for. */
export const transactionsKey = getQueryKey(trpc.transactions.list);

/** The input of the listing of all transactions, which is a part of its key in the cache. */
export const allTransactions = { limit: 25 };

/**
 * The key of a listing in the cache. The library's own keys of endless lists, and its hook for them, take
 * `direction` for the way in which pages are read, and leave it out.
 */
export function listingKey(input: object) {
  return [...transactionsKey, { input, type: 'infinite' }] as const;
}

/** The key in the cache of all pages of old codes. */
export const endedCodesKey = getQueryKey(trpc.qrCodes.ended);

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // A server on the same machine can be reached while the browser says that it is offline.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: STALE_AFTER_MS,
        // A refusal would be repeated; another attempt may help when there was no answer, or a 503.
        retry: (count, error) => count < MAX_RETRIES && (failureOf(error).status ?? 503) >= 503,
      },
    },
  });
}
