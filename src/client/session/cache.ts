/**
 * The cache of whoever is signed in. It outlives the screen, so that coming back shows at once what was known, and ends
 * with the session, wherever that ended; another person gets another one.
 */
import type { QueryClient } from '@tanstack/react-query';
import type { UserId } from '#shared/ids.ts';
import { onSessionRefused } from '../api.ts';
import { createQueryClient } from './api-hooks.ts';
import { readToken } from './session.ts';

let kept: { readonly userId: UserId; readonly cache: QueryClient } | null = null;

export function cacheOf(userId: UserId): QueryClient {
  if (kept?.userId !== userId) kept = { userId, cache: createQueryClient() };
  return kept.cache;
}

/** Whatever is drawn from now on asks nothing: the session is about to end. */
export function quietCache(): void {
  const present = kept?.cache.getDefaultOptions() ?? {};
  kept?.cache.setDefaultOptions({ ...present, queries: { ...present.queries, enabled: false } });
}

/** Nothing of the person who was signed in stays in memory. */
export function forgetCache(): void {
  kept?.cache.clear();
  kept = null;
}

onSessionRefused(forgetCache);
window.addEventListener('storage', () => {
  // Logged out in another tab.
  if (readToken() === null) forgetCache();
});
