/**
 * Provides the hooks of api-hooks.ts and their cache to a screen of a signed-in person. The cache outlives
 * the screens, so that they show known data at once, and ends with the session, also when another tab ends
 * it. Another person gets another cache.
 */
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { UserId } from '#shared/ids.ts';
import { onSessionRefused } from '../api-client/api.ts';
import { readToken } from '../session/session.ts';
import { createQueryClient, trpc, trpcClient } from './api-hooks.ts';
import type { KeptUser } from './kept-dashboard.ts';

interface SignedInDataProps {
  readonly user: KeptUser;
  readonly children: ReactNode;
}

export function SignedInData({ user, children }: SignedInDataProps) {
  const cache = cacheOf(user.id);
  return (
    <trpc.Provider key={user.id} client={trpcClient} queryClient={cache}>
      <QueryClientProvider client={cache}>{children}</QueryClientProvider>
    </trpc.Provider>
  );
}

let kept: { readonly userId: UserId; readonly cache: QueryClient } | null = null;

function cacheOf(userId: UserId): QueryClient {
  if (kept?.userId !== userId) kept = { userId, cache: createQueryClient() };
  return kept.cache;
}

export function forgetCache(): void {
  kept?.cache.clear();
  kept = null;
}

onSessionRefused(forgetCache);
window.addEventListener('storage', () => {
  // The token is gone when another tab logged out.
  if (readToken() === null) forgetCache();
});
