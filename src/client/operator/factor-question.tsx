/** Asks an operator to prove the second factor again. */
import { type SubmitEvent, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import confirmation from '../ui/later/confirmation.module.css';
import { Dialog } from '../ui/later/dialog.tsx';
import { useAttempt } from './attempt.ts';
import styles from './console.module.css';
import { consoleApi, consoleHooks } from './console-api.ts';
import { presentPasskey } from './passkeys.ts';

interface FactorQuestionProps {
  readonly onProved: () => void;
  readonly onClose: () => void;
}

export function FactorQuestion({ onProved, onClose }: FactorQuestionProps) {
  const { data } = consoleHooks.session.me.useQuery();
  const field = useRef<HTMLInputElement>(null);
  const { isUnderWay, failure, attempt } = useAttempt();
  const hasCode = data?.hasTotp ?? false;

  const byPasskey = () =>
    attempt(async () => {
      const { options } = await consoleApi.session.beginConfirmation.mutate();
      await consoleApi.session.confirm.mutate({ response: await presentPasskey(options) });
      onProved();
    });

  function byCode(event: SubmitEvent) {
    event.preventDefault();
    attempt(async () => {
      await consoleApi.session.confirm.mutate({ code: field.current?.value ?? '' });
      onProved();
    });
  }

  return (
    <Dialog title="Show that it is still you" size="question" onClose={() => isUnderWay || onClose()}>
      <p>This asks for your second factor again.</p>
      {data?.hasPasskey && (
        <Button aria-disabled={isUnderWay} onClick={byPasskey}>
          Use Your Passkey
        </Button>
      )}
      {hasCode && (
        <form noValidate onSubmit={byCode} className={styles.form}>
          <Field
            ref={field}
            label="Code"
            hint="From your authenticator app, or a recovery code."
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            required
          />
          <Button type="submit" look={data?.hasPasskey ? 'quiet' : 'primary'} aria-disabled={isUnderWay}>
            Go On
          </Button>
        </form>
      )}
      <p role="alert" className={styles.failure}>
        {failure}
      </p>
      <div className={confirmation.answers}>
        <Button look="quiet" aria-disabled={isUnderWay} onClick={() => isUnderWay || onClose()}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
