/** How an operator logs in: by a passkey, or by email, password and code. */
import { type SubmitEvent, useState } from 'react';
import { brand } from '#shared/brand.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { EmailField, PasswordField } from '../ui/later/account-fields.tsx';
import { useAttempt } from './attempt.ts';
import styles from './console.module.css';
import { consoleApi } from './console-api.ts';
import { beginSession, useHasEnded } from './console-session.ts';
import { hasPasskeys, presentPasskey } from './passkeys.ts';

export function Login() {
  const hasEnded = useHasEnded();
  const { isUnderWay, failure, attempt } = useAttempt();
  const [isByPassword, setByPassword] = useState(!hasPasskeys());

  const byPasskey = () =>
    attempt(async () => {
      const { options } = await consoleApi.session.beginPasskeyLogin.mutate();
      const response = await presentPasskey(options);
      beginSession((await consoleApi.session.finishPasskeyLogin.mutate({ response })).token);
    });

  function byPassword(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const read = (name: string) => String(form.get(name) ?? '');
    attempt(async () => {
      const given = { email: read('email'), password: read('password'), code: read('code') };
      beginSession((await consoleApi.session.logIn.mutate(given)).token);
    });
  }

  return (
    <main className={styles.door}>
      <title>{`Log In · Operator · ${brand.name}`}</title>
      {/* The key lets it take the focus of the button that makes room for the other way. */}
      <ScreenHeading key={String(isByPassword)} className={styles.heading}>
        Log In as an Operator
      </ScreenHeading>
      {hasEnded && <p role="status">Your session has ended. Log in again.</p>}
      {!isByPassword && (
        <>
          <Button aria-disabled={isUnderWay} onClick={byPasskey}>
            {isUnderWay ? 'One moment...' : 'Log In With a Passkey'}
          </Button>
          <Button look="quiet" onClick={() => setByPassword(true)}>
            Use Password and Code
          </Button>
        </>
      )}
      {isByPassword && (
        <form noValidate onSubmit={byPassword} className={styles.form}>
          <EmailField name="email" autoComplete="username" />
          <PasswordField label="Password" name="password" autoComplete="current-password" required />
          <Field
            label="Code"
            hint="From your authenticator app, or a recovery code."
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            required
          />
          <Button type="submit" aria-disabled={isUnderWay}>
            {isUnderWay ? 'One moment...' : 'Log In'}
          </Button>
          {hasPasskeys() && (
            <Button look="quiet" onClick={() => setByPassword(false)}>
              Use a Passkey
            </Button>
          )}
        </form>
      )}
      <p role="alert" className={styles.failure}>
        {failure}
      </p>
      <p className={styles.aside}>
        Lost your passkey or your app? Whoever has a shell on the server makes a new link:{' '}
        <code>npm run operator -- link EMAIL</code>
      </p>
    </main>
  );
}
