/** The screen of the link that confirms an email. Opening it changes nothing; its button does. */
import { useState } from 'react';
import { call } from '../calls.ts';
import { useAttempts } from '../controls/attempts.ts';
import { dashboardTab } from '../later/addresses.ts';
import { paths } from '../paths.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import card from '../ui/card.module.css';
import { ScreenHeading } from '../ui/heading.tsx';
import { Screen } from '../ui/screen.tsx';
import styles from './auth.module.css';
import { useLinkToken } from './link-token.ts';

const NO_ANSWER = 'That did not work. Check your connection and try again.';
const NO_LINK = 'This link is not complete. Open it again from the email.';

export function Confirm() {
  const token = useLinkToken();
  return <Confirmation key={token} token={token} />;
}

function Confirmation({ token }: { readonly token: string | null }) {
  const [outcome, setOutcome] = useState<'waiting' | 'confirmed' | { readonly failure: string }>('waiting');
  const { isUnderWay, run } = useAttempts();
  const isSignedIn = useSession().status === 'signed-in';

  function confirm() {
    void run(async () => {
      if (token === null) {
        setOutcome({ failure: NO_LINK });
        return;
      }
      const { failure } = await call((api) => api.auth.confirmEmail.mutate({ token }));
      setOutcome(failure === null ? 'confirmed' : { failure: failure.detail ?? NO_ANSWER });
    });
  }

  const isConfirmed = outcome === 'confirmed';
  const title = isConfirmed ? 'Email confirmed' : 'Confirm your email';
  return (
    <Screen title={title} width="column">
      <section className={[card.card, styles.card].join(' ')}>
        {/* The button is gone then, and another heading takes the focus. */}
        <ScreenHeading key={title}>{title}</ScreenHeading>
        <p role="status">
          {isConfirmed
            ? 'Thank you. We can help you now when you forget your password.'
            : 'Is this your email? Then confirm it.'}
        </p>
        {typeof outcome === 'object' && (
          <p role="alert" className={styles.failure}>
            {outcome.failure}
          </p>
        )}
        {isConfirmed ? (
          <ButtonLink href={isSignedIn ? dashboardTab('profile') : paths.auth}>
            {isSignedIn ? 'Go to Your Profile' : 'Login'}
          </ButtonLink>
        ) : (
          <Button aria-disabled={isUnderWay} onClick={confirm}>
            {isUnderWay ? 'Confirming...' : 'Confirm My Email'}
          </Button>
        )}
      </section>
    </Screen>
  );
}
