/** The rendered page does not know the browser: one without passkeys is answered as somebody who has none. */
import { useState } from 'react';
import { api, failureOf } from '../api-client/api.ts';
import type { Attempts } from '../controls/attempts.ts';
import { Button } from '../ui/button.tsx';
import styles from './auth.module.css';
import { LOGIN_FAILED, welcome } from './forms.ts';

export function PasskeyLogin({ attempts }: { readonly attempts: Attempts }) {
  const [failure, setFailure] = useState<string>();

  function logIn() {
    void attempts.run(async () => {
      setFailure(undefined);
      try {
        const { options } = await api.auth.passkeyOptions.mutate();
        const { signWithPasskey } = await import('../later/passkeys.ts');
        const response = await signWithPasskey(options);
        if (response === null) setFailure('No passkey was used. Try again, or log in with your password.');
        else welcome(await api.auth.passkeyLogin.mutate({ response }));
      } catch (error) {
        setFailure(failureOf(error).detail ?? LOGIN_FAILED);
      }
    });
  }

  return (
    <div className={styles.passkey}>
      <Button look="quiet" aria-disabled={attempts.isUnderWay} onClick={logIn}>
        Log In With a Passkey
      </Button>
      <p role="alert" className={styles.failure}>
        {failure}
      </p>
    </div>
  );
}
