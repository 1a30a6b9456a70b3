/**
 * The sessions of the signed-in account, and how to end those on other devices.
 */
import { useMutation } from '@tanstack/react-query';
import type { Session } from '#shared/accounts.ts';
import { failureOf } from '../../api/api.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';
import { FRESH, partOf } from '../../signed-in/part.ts';
import { toastError } from '../../toasts.ts';

/** Loads the sessions. A failure to end one is toasted; a success shows in the list. */
export function useSessions() {
  const query = trpc.auth.sessions.useQuery(undefined, FRESH);
  const utils = trpc.useUtils();
  const answered = {
    // A refusal reloads the list too, because the session may have ended already.
    onSettled: () => utils.auth.sessions.invalidate(),
    onError: (error: unknown) => toastError(failureOf(error).detail ?? 'Failed to log the device out'),
  };
  const { client } = utils;
  const ending = useMutation({
    ...answered,
    mutationFn: (session: Pick<Session, 'id'>) => withPassword(() => client.auth.endSession.mutate(session)),
  });
  const endingOthers = useMutation({
    ...answered,
    mutationFn: () => withPassword(() => client.auth.endOtherSessions.mutate()),
  });
  return {
    sessions: partOf(query, (data) => data),
    retry: () => void query.refetch(),
    isEnding: ending.isPending || endingOthers.isPending,
    /** @returns false when it was not tried, because nobody typed the password. */
    end: ({ id }: Session) => isTried(ending.mutateAsync({ id })),
    /** @returns false when it was not tried, because nobody typed the password. */
    endOthers: () => isTried(endingOthers.mutateAsync()),
  };
}

/** Waits for the end of `work`; its failure is toasted by `onError`. @returns false when nobody typed the password that it needs. */
async function isTried(work: Promise<unknown>): Promise<boolean> {
  const [outcome] = await Promise.allSettled([work]);
  return outcome.status === 'fulfilled' || failureOf(outcome.reason).code !== 'password_needed';
}

/** @returns a function that loads the sessions again. */
export function useReloadSessions(): () => void {
  const utils = trpc.useUtils();
  return () => void utils.auth.sessions.invalidate();
}
