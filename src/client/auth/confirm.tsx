/** The screen of the link that confirms an email. Opening it changes nothing; its button does. */
import { useState } from 'react';
import { call } from '../calls.ts';
import { useAttempts } from '../controls/attempts.ts';
import { authFor, dashboardTab } from '../later/addresses.ts';
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

const OUTCOMES = {
  waiting: { title: 'Confirm your email', text: 'Is this your email? Then confirm it.' },
  confirmed: {
    title: 'Email confirmed',
    text: 'Thank you. We can help you now when you forget your password.',
  },
  ended: {
    title: 'This link no longer works',
    text: 'Your profile says whether your email is confirmed, and can send you a new link.',
  },
} as const;

function Confirmation({ token }: { readonly token: string | null }) {
  const [outcome, setOutcome] = useState<keyof typeof OUTCOMES>('waiting');
  const [failure, setFailure] = useState<string | null>(null);
  const { isUnderWay, run } = useAttempts();
  const isSignedIn = useSession().status === 'signed-in';

  function confirm() {
    void run(async () => {
      if (token === null) return setFailure(NO_LINK);
      const { failure } = await call((api) => api.auth.confirmEmail.mutate({ token }));
      if (failure === null) setOutcome('confirmed');
      else if (failure.code === 'link_ended') setOutcome('ended');
      else setFailure(failure.detail ?? NO_ANSWER);
    });
  }

  const { title, text } = OUTCOMES[outcome];
  const profile = dashboardTab('profile');
  return (
    <Screen title={title} width="column">
      <section className={[card.card, styles.card].join(' ')}>
        {/* The button is gone then, and another heading takes the focus. */}
        <ScreenHeading key={title}>{title}</ScreenHeading>
        <p role="status">{text}</p>
        {outcome === 'waiting' && failure !== null && (
          <p role="alert" className={styles.failure}>
            {failure}
          </p>
        )}
        {outcome === 'waiting' ? (
          <Button aria-disabled={isUnderWay} onClick={confirm}>
            {isUnderWay ? 'Confirming...' : 'Confirm My Email'}
          </Button>
        ) : (
          <ButtonLink href={isSignedIn ? profile : authFor(profile)}>
            {isSignedIn ? 'Go to Your Profile' : 'Login'}
          </ButtonLink>
        )}
      </section>
    </Screen>
  );
}
