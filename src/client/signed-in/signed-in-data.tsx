/** Provides the hooks of api-hooks.ts to a screen of a signed-in person. */
import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { User } from '#shared/accounts.ts';
import { trpc, trpcClient } from './api-hooks.ts';
import { cacheOf } from './cache.ts';

interface SignedInDataProps {
  readonly user: User;
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
