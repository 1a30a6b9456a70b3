/**
 * The same procedures as hooks with a cache, for the screens behind the login.
 */
import { QueryClient } from '@tanstack/react-query';
import { createTRPCReact } from '@trpc/react-query';
import { type AppRouter, failureOf, links } from './api.ts';

export const trpc = createTRPCReact<AppRouter>();
export const trpcClient = trpc.createClient({ links });

const STALE_AFTER_MS = 10_000;
const MAX_RETRIES = 2;

/** A cache for one signed-in person; a new one for the next. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_AFTER_MS,
        // A refusal stays one; only what never got an answer, or "later", is worth another try.
        retry: (count, error) => count < MAX_RETRIES && (failureOf(error).status ?? 503) >= 503,
      },
    },
  });
}
