/** The step after the password, where the account has a second factor. */
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { Credentials } from '#shared/accounts.ts';
import { failureOf } from '../../api-client/api.ts';
import type { Attempts } from '../../controls/attempts.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import styles from '../auth.module.css';
import { enter, LOGIN_FAILED } from '../forms.ts';

interface SecondStepProps {
  readonly credentials: Credentials;
  readonly attempts: Attempts;
  readonly onBack: () => void;
}

const WAYS = {
  app: {
    label: 'Code from your authenticator app',
    other: 'Use a Recovery Code',
    unanswered: 'There was no answer. If this code does not work now, wait for the next one.',
    input: { inputMode: 'numeric', autoComplete: 'one-time-code' },
  },
  recovery: {
    label: 'Recovery code',
    other: 'Use My Authenticator App',
    unanswered: 'There was no answer. If this code does not work now, use another one.',
    input: { autoComplete: 'off', autoCapitalize: 'characters', spellCheck: false },
  },
} as const;

export function SecondStep({ credentials, attempts, onBack }: SecondStepProps) {
  const [way, setWay] = useState<keyof typeof WAYS>('app');
  const [failure, setFailure] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const { label, other, unanswered, input } = WAYS[way];

  // biome-ignore lint/correctness/useExhaustiveDependencies: the field of the other way takes the focus, too
  useEffect(() => field.current?.focus(), [way]);

  function logIn(event: SubmitEvent) {
    event.preventDefault();
    void attempts.run(async () => {
      const code = field.current?.value.trim() ?? '';
      try {
        if (code === '') return setFailure('Enter the code.');
        await enter({ ...credentials, code });
      } catch (error) {
        const { detail, status } = failureOf(error);
        // A code works once, also when its answer is lost.
        setFailure(detail ?? (status === null ? unanswered : LOGIN_FAILED));
      } finally {
        field.current?.focus();
      }
    });
  }

  function changeWay() {
    setFailure(undefined);
    setWay(way === 'app' ? 'recovery' : 'app');
  }

  return (
    <form className={styles.form} method="dialog" noValidate onSubmit={logIn}>
      <p>Your password is right. One more step shows that it’s you.</p>
      <Field key={way} ref={field} label={label} error={failure} required {...input} />
      <Button type="submit" aria-disabled={attempts.isUnderWay}>
        {attempts.isUnderWay ? 'Logging in...' : 'Login'}
      </Button>
      <div className={styles.ways}>
        <Button look="quiet" onClick={changeWay}>
          {other}
        </Button>
        <Button look="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  );
}
