/**
 * The procedures of the server as hooks with a cache, for the screens behind the login.
 */
import { QueryClient } from '@tanstack/react-query';
import { httpSubscriptionLink, splitLink } from '@trpc/client';
import { createTRPCReact, getQueryKey } from '@trpc/react-query';
import { EventSource } from 'eventsource';
import {
  type AppRouter,
  authorization,
  batchLink,
  endSessionWhenRefused,
  failureOf,
  TRPC_URL,
} from '../api.ts';
import { readToken } from './session.ts';

/** Settles when the stream may connect again. */
let streamHold: Promise<unknown> = Promise.resolve();

/**
 * Keeps the stream from connecting again before `call` has settled. A call that ends the session ends the stream before it is
 * answered, and the next attempt of the stream would be refused.
 */
export function holdStream(call: Promise<unknown>): void {
  streamHold = call.catch(() => {});
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
            await streamHold;
            // The session may have ended meanwhile, and the screen that listens goes a moment later.
            if (readToken() === null) throw new Error('There is no session to listen for.');
            return fetch(url, { ...init, headers: { ...init.headers, ...authorization() } });
          },
        },
      }),
      false: batchLink,
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
 * The key of a listing in the cache. The library's own keys of endless lists, and its hook for them, take `direction` for the way in
 * which pages are read, and leave it out.
 */
export function listingKey(input: object) {
  return [...transactionsKey, { input, type: 'infinite' }] as const;
}

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
