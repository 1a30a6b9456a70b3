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
          fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...authorization() } }),
        },
      }),
      false: batchLink,
    }),
  ],
});

const STALE_AFTER_MS = 10_000;
const MAX_RETRIES = 2;

/** The key of all pages of transactions in the cache. */
export const transactionsKey = getQueryKey(trpc.transactions.list);

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
