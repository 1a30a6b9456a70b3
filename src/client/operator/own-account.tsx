/** What an operator sees of their own: passkeys, recovery codes, sessions, and who else is an operator. */
import { type ReactNode, useState } from 'react';
import type { PasskeyId } from '#shared/ids.ts';
import { toastSuccess } from '../toasts.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Confirmation } from '../ui/later/confirmation.tsx';
import { Dialog } from '../ui/later/dialog.tsx';
import { LeaveQuestion, useUnsaved } from '../ui/later/unsaved.tsx';
import { useAttempt } from './attempt.ts';
import styles from './console.module.css';
import { consoleApi, consoleHooks, failureOf } from './console-api.ts';
import { FactorQuestion } from './factor-question.tsx';
import { Loaded } from './loaded.tsx';
import { useNearFocus } from './near-focus.ts';
import { Id } from './parties.tsx';
import { makePasskey } from './passkeys.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { When } from './when.tsx';

export function OwnAccount() {
  return (
    <div className={styles.sections}>
      <Passkeys />
      <Codes />
      <OwnSessions />
      <OtherOperators />
    </div>
  );
}

/** `question` stands on the page while the second factor is asked for. Then the work is done again. */
function useGuarded() {
  const { isUnderWay, failure, attempt } = useAttempt();
  const [waiting, setWaiting] = useState<() => Promise<void>>();
  const run = (work: () => Promise<void>) =>
    attempt(async () => {
      try {
        await work();
      } catch (error) {
        if (failureOf(error).code !== 'factor_needed') throw error;
        setWaiting(() => work);
      }
    });
  const question = waiting && (
    <FactorQuestion
      onProved={() => {
        setWaiting(undefined);
        run(waiting);
      }}
      onClose={() => setWaiting(undefined)}
    />
  );
  return { isUnderWay, failure, run, question };
}

function Passkeys() {
  const query = consoleHooks.factors.list.useQuery();
  const [name, setName] = useState<string>();
  const [removed, setRemoved] = useState<{ readonly id: PasskeyId; readonly name: string }>();
  const { isUnderWay, failure, run, question } = useGuarded();
  const markPressed = useNearFocus(query.data?.passkeys.length ?? 0);

  const add = (chosen: string) =>
    run(async () => {
      const { options } = await consoleApi.factors.beginPasskey.mutate();
      const response = await makePasskey(options);
      await consoleApi.factors.addPasskey.mutate({ response, name: chosen });
      setName(undefined);
      await query.refetch();
      toastSuccess('The passkey was added.');
    });
  const remove = (id: PasskeyId) =>
    run(async () => {
      setRemoved(undefined);
      await consoleApi.factors.removePasskey.mutate({ id });
      await query.refetch();
      toastSuccess('The passkey was removed.');
    });

  return (
    <Section title="Passkeys">
      <Loaded query={query}>
        {({ passkeys }) =>
          passkeys.length === 0 ? (
            <p>You log in with a password and a code.</p>
          ) : (
            <ul className={styles.rows}>
              {passkeys.map((passkey) => (
                <li key={passkey.id}>
                  <span>
                    <bdi>{passkey.name}</bdi>
                    <small>
                      {passkey.worksHere ? (
                        <>
                          added <When at={passkey.createdAt} />
                        </>
                      ) : (
                        'made for another address, works no more'
                      )}
                    </small>
                  </span>
                  <Button
                    look="quiet"
                    aria-label={`Remove the passkey ${passkey.name}`}
                    onClick={() => {
                      markPressed();
                      setRemoved(passkey);
                    }}
                  >
                    Remove
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <Button look="quiet" aria-disabled={isUnderWay} onClick={() => setName('My other device')}>
        {query.data?.passkeys.length === 0 ? 'Add a Passkey' : 'Add Another Passkey'}
      </Button>
      <p role="alert" className={styles.failure}>
        {failure}
      </p>
      {name !== undefined && !question && (
        <Confirmation
          title="Add a passkey"
          confirm="Add"
          isUnderWay={isUnderWay}
          onConfirm={() => add(name)}
          onCancel={() => setName(undefined)}
        >
          <Field
            label="Name of this passkey"
            maxLength={60}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            error={failure}
          />
        </Confirmation>
      )}
      {removed && (
        <Confirmation
          title="Remove this passkey?"
          confirm="Remove"
          onConfirm={() => remove(removed.id)}
          onCancel={() => setRemoved(undefined)}
        >
          <p>
            <bdi>{removed.name}</bdi> will no longer log you in.
          </p>
        </Confirmation>
      )}
      {question}
    </Section>
  );
}

function Codes() {
  const { data, refetch } = consoleHooks.factors.list.useQuery();
  /** Null while they are on their way. */
  const [codes, setCodes] = useState<readonly string[] | null>();
  const { isUnderWay, failure, run, question } = useGuarded();
  const forget = () => setCodes(undefined);
  const leaving = useUnsaved(codes !== undefined, forget);
  if (!data?.hasTotp) return null;
  const renew = () =>
    run(async () => {
      setCodes(null);
      try {
        const made = await consoleApi.factors.renewRecoveryCodes.mutate();
        leaving.finish(() => setCodes(made.codes));
      } catch (error) {
        forget();
        throw error;
      }
      await refetch();
    });
  return (
    <Section title="Recovery Codes">
      <p>{`${data.recoveryCodesLeft} of 10 are left.`}</p>
      <Button look="quiet" aria-disabled={isUnderWay} onClick={renew}>
        Make New Codes
      </Button>
      <p role="alert" className={styles.failure}>
        {failure}
      </p>
      {codes === null && (
        <LeaveQuestion unsaved={leaving} instead={{ title: 'Leave before the answer?', stay: 'Wait' }}>
          <p>It brings your new codes, which are shown once. The codes of before may no longer work.</p>
        </LeaveQuestion>
      )}
      {codes && (
        <Dialog title="Your new recovery codes" size="question" onClose={() => leaving.close()}>
          <p>The codes of before no longer work.</p>
          <RecoveryCodes codes={codes} leaving={leaving} onKept={forget} />
        </Dialog>
      )}
      {question}
    </Section>
  );
}

function OwnSessions() {
  const query = consoleHooks.session.list.useQuery();
  const { failure, attempt } = useAttempt();
  const markPressed = useNearFocus(query.data?.length ?? 0);
  const end = (id: string) =>
    attempt(async () => {
      markPressed();
      await consoleApi.session.endOther.mutate({ id });
      await query.refetch();
      toastSuccess('The session has ended.');
    });
  return (
    <Section title="Sessions">
      <Loaded query={query}>
        {(sessions) => (
          <ul className={styles.rows}>
            {sessions.map((session) => (
              <li key={session.id}>
                <span>
                  {session.device || 'Unknown device'}
                  <small>
                    {session.isCurrent ? (
                      'this session'
                    ) : (
                      <>
                        last used <When at={session.lastUsedAt} />
                      </>
                    )}
                    , {session.address}
                  </small>
                </span>
                {!session.isCurrent && (
                  <Button look="quiet" onClick={() => end(session.id)}>
                    End
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <p role="alert" className={styles.failure}>
        {failure}
      </p>
    </Section>
  );
}

function OtherOperators() {
  const query = consoleHooks.session.operators.useQuery();
  return (
    <Section title="Operators">
      <Loaded query={query}>
        {(operators) => (
          <ul className={styles.rows}>
            {operators.map((operator) => (
              <li key={operator.id}>
                <span>
                  <bdi>{operator.email}</bdi>
                  <small>
                    {operator.isYou && 'you, '}
                    {operator.hasEnrolled ? (
                      <>
                        added <When at={operator.addedAt} />
                      </>
                    ) : (
                      'has not enrolled yet'
                    )}
                  </small>
                  {/* By it the audit log names them. */}
                  <small>
                    <Id>{operator.id}</Id>
                  </small>
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <p className={styles.aside}>
        Operators are added and removed in the shell: <code>npm run operator -- add EMAIL</code>
      </p>
    </Section>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h2 tabIndex={-1}>{title}</h2>
      {children}
    </section>
  );
}
