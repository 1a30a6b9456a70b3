/** The screen of the link that confirms an email. Opening it changes nothing; its button does. */
import { useState } from 'react';
import { LINK_PATHS } from '#shared/mail-paths.ts';
import { call } from '../calls.ts';
import { useAttempts } from '../controls/attempts.ts';
import { useFragment } from '../fragment.ts';
import { read, remove, write } from '../giving/tab-storage.ts';
import { authFor, dashboardTab } from '../later/addresses.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import card from '../ui/card.module.css';
import { ScreenHeading } from '../ui/heading.tsx';
import { Screen } from '../ui/screen.tsx';
import styles from './auth.module.css';

const NO_ANSWER =
  'There was no answer, so we don’t know whether your email was confirmed. Try again, or look at your profile.';
const NO_LINK = 'This link is not complete. Open it again from the email.';

/** Keeps the token of a link over a login: in the address of the login the server would read it. */
const WAITING = 'confirmation';

export function Confirm() {
  const inLink = useFragment().slice(1);
  const [waiting] = useState(() => read(WAITING));
  const token = inLink || (typeof waiting === 'string' ? waiting : null);
  return <Confirmation key={token} token={token} />;
}

const OUTCOMES = {
  waiting: { title: 'Confirm your email', text: 'Is this your email? Then confirm it.' },
  confirmed: {
    title: 'Email confirmed',
    text: 'Thank you. We can help you now when you forget your password.',
  },
  login_needed: {
    title: 'Log in first',
    text:
      'Log in to the account of this email, then you can confirm it. Did you not make an account here? Then ' +
      'ignore the email.',
  },
  another: {
    title: 'This link is for another account',
    text: 'Log out, and log in to the account of the email that the link came to. Then open the link again.',
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
  const { status } = useSession();
  const isSignedIn = status === 'signed-in';

  function confirm() {
    void run(async () => {
      if (token === null) return setFailure(NO_LINK);
      const { failure } = await call((api) => api.auth.confirmEmail.mutate({ token }));
      if (failure === null || failure.code === 'link_ended') remove(WAITING);
      if (failure === null) setOutcome('confirmed');
      else if (failure.code === 'link_ended') setOutcome('ended');
      else if (failure.code === 'link_of_another') setOutcome('another');
      // Whoever is logged out is told so by the session.
      else if (failure.code !== 'session_ended' && failure.code !== 'not_logged_in')
        setFailure(failure.detail ?? NO_ANSWER);
    });
  }

  // Whoever logs in elsewhere meanwhile can confirm it here.
  const shown = outcome === 'waiting' && status === 'signed-out' ? 'login_needed' : outcome;
  const { title, text } = OUTCOMES[shown];
  const profile = dashboardTab('profile');
  return (
    <Screen title={title} width="column">
      <section className={[card.card, styles.card].join(' ')}>
        {/* The button is gone then, and another heading takes the focus. */}
        <ScreenHeading key={title}>{title}</ScreenHeading>
        <p role="status">{text}</p>
        {shown === 'waiting' && failure !== null && (
          <p role="alert" className={styles.failure}>
            {failure}
          </p>
        )}
        {shown === 'waiting' ? (
          <Button aria-disabled={isUnderWay} onClick={confirm}>
            {isUnderWay ? 'Confirming...' : 'Confirm My Email'}
          </Button>
        ) : isSignedIn ? (
          <ButtonLink href={profile}>Go to Your Profile</ButtonLink>
        ) : (
          <ButtonLink
            href={authFor(shown === 'login_needed' ? LINK_PATHS.confirm : profile)}
            onClick={() => write(WAITING, token)}
          >
            Login
          </ButtonLink>
        )}
      </section>
    </Screen>
  );
}
