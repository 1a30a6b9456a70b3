/** The keys by which programs work with the account: made, listed and ended. */
import { useRef, useState } from 'react';
import type { User } from '#shared/accounts.ts';
import type { ApiKey } from '#shared/api-keys.ts';
import { MAX_API_KEYS, SCOPE_LABELS } from '#shared/api-scopes.ts';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { serverNow } from '../../api-client/server-clock.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { formatHere } from '../../signed-in/format-here.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';
import { FRESH, partOf } from '../../signed-in/part.ts';
import { shortDateTime } from '../../signed-in/short-date-time.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { Loading, Problem, Skeleton } from '../../ui/states.tsx';
import care from '../account/account-care.module.css';
import { focusIfLost, useQuestion } from '../question.ts';
import styles from './api-access.module.css';
import { NewKey } from './new-key.tsx';

export function ApiKeys({ user }: { readonly user: User }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const query = trpc.apiKeys.list.useQuery(undefined, FRESH);
  const [isMaking, setMaking] = useState(false);
  const keys = partOf(query, (data) => data);

  return (
    <section className={care.part} aria-labelledby="api-keys">
      <h3 className={care.heading} id="api-keys" ref={heading} tabIndex={-1}>
        API keys
      </h3>
      <p>
        A key lets a program work with your account: a register, a website, accounting software. You choose
        what it can do.{' '}
        <a href="/api/docs" target="_blank" rel="noreferrer">
          See what programs can do
        </a>
      </p>
      {keys.status === 'loading' && (
        <Loading>
          <Skeleton height="line" />
        </Loading>
      )}
      {keys.status === 'failed' && (
        <Problem title="Your API keys could not be loaded" onRetry={() => void query.refetch()}>
          <p>Check your connection and try again.</p>
        </Problem>
      )}
      {keys.status === 'ready' && (
        <>
          <Keys keys={keys.data} />
          {keys.data.length < MAX_API_KEYS ? (
            <Button
              look="quiet"
              className={care.action}
              aria-haspopup="dialog"
              onClick={() => setMaking(true)}
            >
              New API Key
            </Button>
          ) : (
            <p className={care.since}>You have {MAX_API_KEYS} keys. To make another one, end one first.</p>
          )}
          {keys.data.length > 0 && (
            <p className={care.since}>
              Keys keep working when you change your password or log out. Closing your account ends them.
            </p>
          )}
        </>
      )}
      {isMaking && <NewKey user={user} onClose={() => setMaking(false)} />}
    </section>
  );
}

function Keys({ keys }: { readonly keys: readonly ApiKey[] }) {
  const list = useRef<HTMLDivElement>(null);
  const { asked, ask, close } = useQuestion<ApiKey>(list);
  const { isUnderWay, run } = useAttempts();
  const utils = trpc.useUtils();

  async function end({ id, expiresAt }: ApiKey) {
    try {
      await withPassword(() => utils.client.apiKeys.end.mutate({ id }));
      toastSuccess(isOver(expiresAt) ? 'Key removed' : 'Key ended');
    } catch (error) {
      toastError(failureOf(error).detail ?? unanswered('the key was ended'));
    }
    // After a refusal too, because the key may have ended already.
    await utils.apiKeys.list.invalidate();
    close();
    // React draws the list that was loaded again after this, without the button that was pressed.
    setTimeout(() => focusIfLost(list.current));
  }

  return (
    <div ref={list} tabIndex={-1}>
      {keys.length === 0 ? (
        <p className={care.since}>You have no keys.</p>
      ) : (
        <ul className={care.sessions} aria-label="Your API keys">
          {keys.map((key) => (
            <li key={key.id} className={care.session}>
              <Facts of={key} />
              {isOver(key.expiresAt) ? (
                <Button
                  look="quiet"
                  aria-label={`Remove ${key.name}`}
                  onClick={() => void run(() => end(key))}
                >
                  Remove
                </Button>
              ) : (
                <Button look="quiet" aria-label={`End ${key.name}`} onClick={() => ask(key)}>
                  End
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {asked && (
        <Confirmation
          title="End this key?"
          confirm={isUnderWay ? 'Ending...' : 'End Key'}
          isUnderWay={isUnderWay}
          onConfirm={() => void run(() => end(asked))}
          onCancel={close}
        >
          <p>
            <strong>
              <bdi>{asked.name}</bdi>
            </strong>{' '}
            stops working right away. You can’t bring it back, but you can make a new one.
          </p>
        </Confirmation>
      )}
    </div>
  );
}

function Facts({ of: { name, ending, scopes, addresses, expiresAt, lastUsedAt } }: { readonly of: ApiKey }) {
  return (
    <div className={styles.facts}>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        <code className={styles.ending}>…{ending}</code> {isOver(expiresAt) && <Badge>Expired</Badge>}
      </p>
      <p>{scopes.map((scope) => SCOPE_LABELS[scope]).join(' · ')}</p>
      {addresses.length > 0 && <p className={care.since}>Only from {addresses.join(', ')}</p>}
      <p className={care.since}>
        {isOver(expiresAt) ? 'Stopped ' : 'Works until '}
        <time dateTime={expiresAt}>{dates(new Date(expiresAt))}</time>
        {' · '}
        {lastUsedAt === null ? (
          'Never used'
        ) : (
          <>
            Last used <time dateTime={lastUsedAt}>{shortDateTime(lastUsedAt)}</time>
          </>
        )}
      </p>
    </div>
  );
}

const dates = formatHere({ dateStyle: 'medium' });

const isOver = (expiresAt: string) => Date.parse(expiresAt) <= serverNow();
