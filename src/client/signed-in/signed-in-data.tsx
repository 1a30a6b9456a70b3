/**
 * The hooks of api-hooks.ts and their cache, which outlives screens, so that they show known data at once. It ends with
 * the session, also when another tab ends it. Another person gets another cache.
 */
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, type ReactNode } from 'react';
import { useSearch } from 'wouter';
import type { UserId } from '#shared/ids.ts';
import { onSessionRefused } from '../api-client/api.ts';
import { SHOWN } from '../later/addresses.ts';
import { readToken } from '../session/session.ts';
import { Later } from '../ui/boundary.tsx';
import { createQueryClient, trpc, trpcClient } from './api-hooks.ts';
import type { KeptUser } from './kept-dashboard.ts';

interface SignedInDataProps {
  readonly user: KeptUser;
  readonly children: ReactNode;
}

export function SignedInData({ user, children }: SignedInDataProps) {
  return (
    <QuietData user={user}>
      <WhatIsAnnounced />
      {children}
    </QuietData>
  );
}

/** As `SignedInData` without announcements, for somebody who may not read them yet. */
export function QuietData({ user, children }: SignedInDataProps) {
  const cache = cacheOf(user.id);
  return (
    <trpc.Provider key={user.id} client={trpcClient} queryClient={cache}>
      <QueryClientProvider client={cache}>{children}</QueryClientProvider>
    </trpc.Provider>
  );
}

const Announcement = lazy(() =>
  import('./later/announcement.tsx').then(({ Announcement }) => ({ default: Announcement })),
);
const ASK_AGAIN_MS = 300_000;

/** A dashboard may be open for a whole night, so that it asks again now and then. */
function WhatIsAnnounced() {
  const { data } = trpc.auth.announcements.useQuery(undefined, {
    staleTime: ASK_AGAIN_MS / 2,
    refetchInterval: ASK_AGAIN_MS,
  });
  // Customers look at a code that fills the screen.
  const isBehindCode = new URLSearchParams(useSearch()).has(SHOWN);
  const isTold = data && (data.announcement || data.maintenance || data.suspension);
  const hasRibbon = document.documentElement.dataset['maintenance'] !== undefined;
  // A screen reader announces only what comes into a region that was there before.
  return (
    <div aria-live="polite">
      {data && !isBehindCode && (isTold || hasRibbon) && (
        <Later>
          <Announcement {...data} />
        </Later>
      )}
    </div>
  );
}

/** Whether the account is suspended, as far as what is above the screen has been told. */
export function useIsSuspended(): boolean {
  return !!trpc.auth.announcements.useQuery(undefined, { enabled: false }).data?.suspension;
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
