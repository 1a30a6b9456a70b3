/**
 * Where the account is logged in, and how a session is ended elsewhere.
 */
import type { Session } from '#shared/accounts.ts';
import { failureOf } from '../../api.ts';
import { trpc } from '../../session/api-hooks.ts';
import { FRESH, partOf } from '../../session/part.ts';
import { toastError } from '../../toasts.ts';

/** The sessions of the account. An end that failed is toasted; one that worked shows in the list. */
export function useSessions() {
  const query = trpc.auth.sessions.useQuery(undefined, FRESH);
  const utils = trpc.useUtils();
  const answered = {
    // Also what was refused may be because the list was old.
    onSettled: () => utils.auth.sessions.invalidate(),
    onError: (error: unknown) => toastError(failureOf(error).detail ?? 'Failed to log the device out'),
  };
  const ending = trpc.auth.endSession.useMutation(answered);
  const endingOthers = trpc.auth.endOtherSessions.useMutation(answered);
  return {
    sessions: partOf(query, (data) => data),
    retry: () => void query.refetch(),
    isEnding: ending.isPending || endingOthers.isPending,
    async end({ id }: Session): Promise<void> {
      await settled(ending.mutateAsync({ id }));
    },
    async endOthers(): Promise<void> {
      await settled(endingOthers.mutateAsync());
    },
  };
}

/** Waits, whatever comes of it; somebody else says so. */
async function settled(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work]);
}

/** @returns a function that asks again where the account is logged in. */
export function useReloadSessions(): () => void {
  const utils = trpc.useUtils();
  return () => void utils.auth.sessions.invalidate();
}
