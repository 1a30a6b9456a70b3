/** Passkeys, the authenticator app and the recovery codes of the account. */
import { useRef, useState } from 'react';
import type { User } from '#shared/accounts.ts';
import type { SecondFactors as Factors, Passkey } from '#shared/second-factors.ts';
import { failureOf, unanswered } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { hasPasskeys } from '../../later/passkeys.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { withPassword } from '../../signed-in/later/password-again.ts';
import { FRESH, partOf } from '../../signed-in/part.ts';
import { shortDateTime } from '../../signed-in/short-date-time.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { Loading, Problem, Skeleton } from '../../ui/states.tsx';
import { focusIfLost, useQuestion } from '../question.ts';
import styles from './account-care.module.css';
import { NewPasskey } from './new-passkey.tsx';
import { NewRecoveryCodes } from './recovery-codes.tsx';
import { SetUpApp } from './set-up-app.tsx';

const MAX_PASSKEYS = 10;
const APP = 'app';
type Factor = Passkey | typeof APP;

export function SecondFactors({ user }: { readonly user: User }) {
  return (
    <section className={styles.part} aria-labelledby="second-factors">
      <h3 className={styles.heading} id="second-factors">
        Passkeys and two-step login
      </h3>
      <FactorCare user={user} />
    </section>
  );
}

interface FactorCareProps {
  readonly user: User;
  readonly onAdded?: () => void;
}

export function FactorCare({ user, onAdded }: FactorCareProps) {
  const query = trpc.secondFactors.list.useQuery(undefined, FRESH);
  const factors = partOf(query, (data) => data);
  if (factors.status === 'loading')
    return (
      <Loading>
        <Skeleton height="line" />
      </Loading>
    );
  if (factors.status === 'failed')
    return (
      <Problem title="This could not be loaded" onRetry={() => void query.refetch()}>
        <p>Check your connection and try again.</p>
      </Problem>
    );
  return <Ready user={user} factors={factors.data} onAdded={onAdded} />;
}

interface ReadyProps {
  readonly user: User;
  readonly factors: Factors;
  readonly onAdded: (() => void) | undefined;
}

function Ready({ user, factors, onAdded }: ReadyProps) {
  const { passkeys, hasTotp, recoveryCodesLeft } = factors;
  const list = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<'passkey' | 'app' | 'codes' | null>(null);
  const { asked, ask, close } = useQuestion<Factor>(list);
  const utils = trpc.useUtils();
  const hasAny = passkeys.length > 0 || hasTotp;
  const isLast = passkeys.length + Number(hasTotp) === 1;

  // React draws a list that was loaded again after this, without the button that was pressed.
  const keepFocus = () => setTimeout(() => focusIfLost(list.current));

  const closeDialog = () => {
    setOpened(null);
    void utils.secondFactors.list.invalidate().then(keepFocus);
    onAdded?.();
  };

  const closeRemoval = () => {
    close();
    keepFocus();
  };

  return (
    <>
      <p>
        {hasAny
          ? 'Your password alone no longer logs you in. Use a passkey, or your password and a code.'
          : 'A passkey logs you in with your fingerprint, your face or your phone’s PIN. Once you have one, or ' +
            'an authenticator app, your password alone no longer logs anyone in.'}
      </p>
      <div ref={list} tabIndex={-1}>
        {hasAny && (
          <ul className={styles.sessions} aria-label="How you log in">
            {passkeys.map((passkey) => (
              <li key={passkey.id} className={styles.session}>
                <PasskeyFacts of={passkey} />
                <Button look="quiet" aria-label={`Remove ${passkey.name}`} onClick={() => ask(passkey)}>
                  Remove
                </Button>
              </li>
            ))}
            {hasTotp && (
              <li className={styles.session}>
                <p className={styles.words}>
                  <strong>Authenticator app</strong>
                </p>
                <Button look="quiet" aria-label="Remove the authenticator app" onClick={() => ask(APP)}>
                  Remove
                </Button>
              </li>
            )}
            <li className={styles.session}>
              <p className={styles.words}>
                <strong>Recovery codes</strong>
                <br />
                <span className={styles.since}>{recoveryCodesLeft} of 10 left</span>
              </p>
              <Button look="quiet" aria-haspopup="dialog" onClick={() => setOpened('codes')}>
                New Recovery Codes
              </Button>
            </li>
          </ul>
        )}
      </div>
      <div className={styles.actions}>
        {hasPasskeys() && passkeys.length < MAX_PASSKEYS && (
          <Button look="quiet" aria-haspopup="dialog" onClick={() => setOpened('passkey')}>
            Add a Passkey
          </Button>
        )}
        {!hasTotp && (
          <Button look="quiet" aria-haspopup="dialog" onClick={() => setOpened('app')}>
            Set Up an Authenticator App
          </Button>
        )}
      </div>
      {opened === 'passkey' && <NewPasskey user={user} onClose={closeDialog} />}
      {opened === 'app' && <SetUpApp user={user} onClose={closeDialog} />}
      {opened === 'codes' && <NewRecoveryCodes user={user} onClose={closeDialog} />}
      {asked && <Removal of={asked} isLast={isLast} onClose={closeRemoval} />}
    </>
  );
}

interface RemovalProps {
  readonly of: Factor;
  /** Without it the password alone logs in again. */
  readonly isLast: boolean;
  readonly onClose: () => void;
}

function Removal({ of: factor, isLast, onClose }: RemovalProps) {
  const { isUnderWay, run } = useAttempts();
  const utils = trpc.useUtils();

  async function remove() {
    const { removePasskey, removeTotp } = utils.client.secondFactors;
    try {
      await withPassword(() =>
        factor === APP ? removeTotp.mutate() : removePasskey.mutate({ id: factor.id }),
      );
      toastSuccess(factor === APP ? 'Authenticator app removed' : 'Passkey removed');
    } catch (error) {
      toastError(failureOf(error).detail ?? unanswered('it was removed'));
    }
    await utils.secondFactors.list.invalidate();
    onClose();
  }

  return (
    <Confirmation
      title={factor === APP ? 'Remove the authenticator app?' : 'Remove this passkey?'}
      confirm={isUnderWay ? 'Removing...' : 'Remove'}
      isUnderWay={isUnderWay}
      onConfirm={() => void run(remove)}
      onCancel={onClose}
    >
      <p>
        {factor === APP ? (
          'Its codes stop working.'
        ) : (
          <>
            <strong>
              <bdi>{factor.name}</bdi>
            </strong>{' '}
            no longer logs you in. You can delete it on your device, too.
          </>
        )}{' '}
        {isLast && 'Your password alone logs you in again, and your recovery codes stop working.'}
      </p>
    </Confirmation>
  );
}

function PasskeyFacts({ of: { name, createdAt, lastUsedAt, worksHere } }: { readonly of: Passkey }) {
  return (
    <p className={styles.words}>
      <strong>
        <bdi>{name}</bdi>
      </strong>{' '}
      {!worksHere && <Badge>Old address</Badge>}
      <br />
      <span className={styles.since}>
        {worksHere ? (
          <>
            Added <time dateTime={createdAt}>{shortDateTime(createdAt)}</time>
            {' · '}
            {lastUsedAt === null ? (
              'Never used'
            ) : (
              <>
                Last used <time dateTime={lastUsedAt}>{shortDateTime(lastUsedAt)}</time>
              </>
            )}
          </>
        ) : (
          'It was made before this site moved, and no longer works. Remove it and add a new one.'
        )}
      </span>
    </p>
  );
}
