/** The list of the sessions of the account, each but the present one with a button that ends it. */
import { useRef } from 'react';
import type { Session } from '#shared/accounts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import card from '../../ui/card.module.css';
import { Loading, Problem, Skeleton } from '../../ui/states.tsx';
import { shortDateTime } from '../short-date-time.ts';
import styles from './account-care.module.css';
import { useSessions } from './session-queries.ts';

const UNKNOWN_DEVICE = 'Unknown device';

export function Sessions() {
  const heading = useRef<HTMLHeadingElement>(null);
  const { sessions, retry, end, endOthers, isEnding } = useSessions();

  /** Ends sessions and focuses the heading, because the pressed button disappears with its session. */
  async function endAndStay(ending: () => Promise<boolean>) {
    if (isEnding) return;
    if (await ending()) heading.current?.focus();
  }

  function retryAndStay() {
    heading.current?.focus();
    retry();
  }

  return (
    <section className={[card.card, styles.part].join(' ')} aria-labelledby="sessions">
      <h2 className={styles.heading} id="sessions" ref={heading} tabIndex={-1}>
        Where you are logged in
      </h2>
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
                <SessionWords session={session} />
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

function SessionWords({ session }: { readonly session: Session }) {
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
