/**
 * The same procedures as hooks with a cache, for the screens behind the login.
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
        // The browser's own EventSource cannot send headers, and a token does not belong into an address.
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

/** Under this all pages of the transactions lie in the cache. */
export const transactionsKey = getQueryKey(trpc.transactions.list);

/** A cache for one signed-in person; a new one for the next. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // A server on the same machine answers without any network, whatever the browser thinks of it.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: STALE_AFTER_MS,
        // A refusal stays one; only what never got an answer, or "later", is worth another try.
        retry: (count, error) => count < MAX_RETRIES && (failureOf(error).status ?? 503) >= 503,
      },
    },
  });
}
