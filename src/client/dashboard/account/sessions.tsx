/** The sessions of the account. All but the present one can be ended. */
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Session } from '#shared/accounts.ts';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';
import { FRESH, partOf } from '../../signed-in/part.ts';
import { shortDateTime } from '../../signed-in/short-date-time.ts';
import { toastError } from '../../toasts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Loading, Problem, Skeleton } from '../../ui/states.tsx';
import styles from './account-care.module.css';

const UNKNOWN_DEVICE = 'Unknown device';

export function Sessions() {
  const heading = useRef<HTMLHeadingElement>(null);
  const { sessions, retry, end, endOthers, isEnding } = useSessions();

  /** Focuses the heading, because the pressed button disappears with its session. */
  async function endAndStay(ending: () => Promise<boolean>) {
    if (isEnding) return;
    if (await ending()) heading.current?.focus();
  }

  function retryAndStay() {
    heading.current?.focus();
    retry();
  }

  return (
    <section className={styles.part} aria-labelledby="sessions">
      <h3 className={styles.heading} id="sessions" ref={heading} tabIndex={-1}>
        Where you are logged in
      </h3>
      {sessions.status === 'loading' && (
        <Loading>
          <Skeleton height="line" />
        </Loading>
      )}
      {sessions.status === 'failed' && (
        <Problem title="Your sessions could not be loaded" onRetry={retryAndStay}>
          <p>Check your connection and try again.</p>
        </Problem>
      )}
      {sessions.status === 'ready' && (
        <>
          <ul className={styles.sessions}>
            {sessions.data.map((session) => (
              <li key={session.id} className={styles.session}>
                <Device session={session} />
                {!session.isCurrent && (
                  <Button
                    look="quiet"
                    aria-disabled={isEnding}
                    aria-label={`Logout ${session.device ?? UNKNOWN_DEVICE}`}
                    onClick={() => void endAndStay(() => end(session))}
                  >
                    Logout
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {sessions.data.length > 1 && (
            <Button
              look="quiet"
              className={styles.action}
              aria-disabled={isEnding}
              onClick={() => void endAndStay(endOthers)}
            >
              Logout Everywhere Else
            </Button>
          )}
        </>
      )}
    </section>
  );
}

function Device({ session }: { readonly session: Session }) {
  return (
    <p className={styles.words}>
      <strong>
        <bdi>{session.device ?? UNKNOWN_DEVICE}</bdi>
      </strong>{' '}
      {session.isCurrent && <Badge>This device</Badge>}
      <br />
      <span className={styles.since}>
        Since <time dateTime={session.createdAt}>{shortDateTime(session.createdAt)}</time>
      </span>
    </p>
  );
}

function useSessions() {
  const query = trpc.auth.sessions.useQuery(undefined, FRESH);
  const utils = trpc.useUtils();
  const answered = {
    // A refusal reloads the list too, because the session may have ended already.
    onSettled: () => utils.auth.sessions.invalidate(),
    onError: (error: unknown) => toastError(failureOf(error).detail ?? unanswered('the logout was done')),
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
    end: ({ id }: Session) => isTried(ending.mutateAsync({ id })),
    endOthers: () => isTried(endingOthers.mutateAsync()),
  };
}

/** @returns false when nobody typed the password that `work` needs. Any other failure is toasted by `onError`. */
async function isTried(work: Promise<unknown>): Promise<boolean> {
  const [outcome] = await Promise.allSettled([work]);
  return outcome.status === 'fulfilled' || failureOf(outcome.reason).code !== 'password_needed';
}

export function useReloadSessions(): () => void {
  const utils = trpc.useUtils();
  return () => void utils.auth.sessions.invalidate();
}
