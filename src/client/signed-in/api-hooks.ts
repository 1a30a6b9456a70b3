/** The procedures of the server as hooks with a cache, for the screens behind the login. */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { httpBatchLink, splitLink } from '@trpc/client';
import { createTRPCReact, getMutationKey, getQueryKey } from '@trpc/react-query';
import {
  type AppRouter,
  authorization,
  batches,
  endSessionWhenRefused,
  failureOf,
  TRPC_URL,
} from '../api-client/api.ts';
import { verifySession } from '../calls.ts';
import { readToken } from '../session/session.ts';
import { streamLink } from './stream-link.ts';

/** Settles when calls may be sent. */
let hold: Promise<unknown> = Promise.resolve();

/**
 * Delays the calls of these hooks, and reconnections of the stream, until `leaving` has settled: a call that ends the
 * session does so before its answer arrives, and the server would refuse whatever is sent meanwhile. When the session
 * has ended they are never sent.
 */
export function holdCalls(leaving: Promise<unknown>): void {
  hold = leaving.catch(() => {});
}

/** @throws Error without a session, because the server would refuse the call. */
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
      true: streamLink(TRPC_URL, async (address, init) => {
        await mayBeSent();
        return fetch(address, {
          ...init,
          headers: { ...init.headers, ...authorization() },
          cache: 'no-store',
        });
      }),
      false: httpBatchLink({
        ...batches,
        async fetch(url, init) {
          await mayBeSent();
          return batches.fetch(url, init);
        },
      }),
    }),
  ],
});

const STALE_AFTER_MS = 10_000;
const MAX_RETRIES = 2;

export const transactionsKey = getQueryKey(trpc.transactions.list);

export const allTransactions = { limit: 25 };

/** The library's own keys and its hook for endless lists omit `direction`, which they take for the order of pages. */
export function listingKey(input: object) {
  return [...transactionsKey, { input, type: 'infinite' }] as const;
}

export const endedCodesKey = getQueryKey(trpc.qrCodes.ended);

export const codeCreationKey = getMutationKey(trpc.qrCodes.create);

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    mutationCache: new MutationCache({
      onError(error) {
        // What had no answer may have been done: a code, for instance, may be paused or replaced.
        if (failureOf(error).status === null) void client.invalidateQueries();
      },
    }),
    queryCache: new QueryCache({
      onError(error) {
        // The duty began, or the last factor went, while the page was open: another screen asks for a factor then.
        if (failureOf(error).code === 'second_factor_required') void verifySession();
      },
    }),
    defaultOptions: {
      // A server on the same machine is reachable even if the browser says that it is offline.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: STALE_AFTER_MS,
        // A refusal would only repeat; another attempt may help without an answer, or after a 503.
        retry: (count, error) => count < MAX_RETRIES && (failureOf(error).status ?? 503) >= 503,
      },
    },
  });
  return client;
}
