/**
 * The cache of the signed-in person. It outlives the screens, so that they show at once what was loaded before, and it ends
 * with the session, also when that ends in another tab. Another person gets another cache.
 */
import type { QueryClient } from '@tanstack/react-query';
import type { UserId } from '#shared/ids.ts';
import { onSessionRefused } from '../api/api.ts';
import { readToken } from '../session/session.ts';
import { createQueryClient } from './api-hooks.ts';

let kept: { readonly userId: UserId; readonly cache: QueryClient } | null = null;

export function cacheOf(userId: UserId): QueryClient {
  if (kept?.userId !== userId) kept = { userId, cache: createQueryClient() };
  return kept.cache;
}

/** Removes all data of the signed-in person from memory. */
export function forgetCache(): void {
  kept?.cache.clear();
  kept = null;
}

onSessionRefused(forgetCache);
window.addEventListener('storage', () => {
  // The token is gone when another tab logged out.
  if (readToken() === null) forgetCache();
});
