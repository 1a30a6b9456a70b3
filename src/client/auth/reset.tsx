/** The screen of a forgotten password: with a token in the fragment it takes a new one, else it sends a link. */

import { type SubmitEvent, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import type { User } from '#shared/accounts.ts';
import { LINK_PATHS } from '#shared/mail-paths.ts';
import { api, unanswered } from '../api-client/api.ts';
import { verifySession } from '../calls.ts';
import { useAttempts } from '../controls/attempts.ts';
import { useFragment } from '../fragment.ts';
import { authFor } from '../later/addresses.ts';
import { paths } from '../paths.ts';
import { presentSession } from '../session/session.ts';
import { toastSuccess } from '../toasts.ts';
import { Button } from '../ui/button.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import card from '../ui/card.module.css';
import { ScreenHeading } from '../ui/heading.tsx';
import { EmailField, PasswordField } from '../ui/later/account-fields.tsx';
import { showFailure } from '../ui/later/failures.ts';
import { sendsMail } from '../ui/later/sends-mail.ts';
import { Screen } from '../ui/screen.tsx';
import styles from './auth.module.css';
import { AskOperator } from './forgot-password.tsx';
import { nextFrom } from './next.ts';

const NO_ANSWER = `${unanswered('the link was sent')} Look at your mail before you try again.`;
const MAYBE_CHANGED = `${unanswered('your password was changed')} Try to log in with the new one.`;

export function Reset() {
  const token = useFragment().slice(1) || null;
  const next = nextFrom(useSearch()) ?? paths.dashboard;
  const [sentTo, setSentTo] = useState<string | null>(null);
  /** The user of another account that is logged in here, as on the device of a friend. */
  const [other, setOther] = useState<User | null>(null);
  const asked = sentTo === null ? 'Forgot your password?' : 'Check your email';
  const title = other ? 'Password changed' : token === null ? asked : 'Choose a new password';
  return (
    <Screen
      title={title}
      width="column"
      {...(!other && {
        actions: (
          <ButtonLink look="quiet" href={authFor(next)}>
            Login
          </ButtonLink>
        ),
      })}
    >
      <section className={[card.card, styles.card].join(' ')}>
        {/* The next step has another heading, which takes the focus from the button that is gone. */}
        <ScreenHeading key={title}>{title}</ScreenHeading>
        {other ? (
          <OtherSession of={other} />
        ) : token !== null ? (
          <NewPassword key={token} token={token} onOther={setOther} />
        ) : sentTo !== null ? (
          <Sent to={sentTo} onAgain={() => setSentTo(null)} />
        ) : sendsMail() ? (
          <AskForLink onSent={setSentTo} />
        ) : (
          <p>
            <AskOperator />
          </p>
        )}
      </section>
    </Screen>
  );
}

function AskForLink({ onSent }: { readonly onSent: (email: string) => void }) {
  const form = useForm({ defaultValues: { email: '' } });
  const attempts = useAttempts();
  const { errors } = form.formState;

  function ask(event: SubmitEvent) {
    event.preventDefault();
    void attempts.run(async () => {
      try {
        await form.handleSubmit(async ({ email }) => {
          await api.auth.forgotPassword.mutate({ email });
          onSent(email.trim());
        })(event);
      } catch (error) {
        showFailure(form, ['email'], error, NO_ANSWER);
      }
    });
  }

  return (
    <form className={styles.form} noValidate onSubmit={ask}>
      <p>We’ll email you a link to choose a new one.</p>
      <EmailField
        error={errors.email?.message}
        {...form.register('email', { required: 'Email is required.' })}
      />
      {errors.root && <p className={styles.failure}>{errors.root.message}</p>}
      <Button type="submit" aria-disabled={attempts.isUnderWay}>
        {attempts.isUnderWay ? 'Sending...' : 'Email Me a Link'}
      </Button>
    </form>
  );
}

function Sent({ to, onAgain }: { readonly to: string; readonly onAgain: () => void }) {
  return (
    <>
      <p role="status">
        If there is an account for <bdi className={styles.address}>{to}</bdi>, a link is on its way. It works
        for an hour.
      </p>
      <p>
        Nothing there? Look in your spam folder. No longer have that email? <AskOperator />
      </p>
      <Button look="quiet" onClick={onAgain}>
        Try Another Email
      </Button>
    </>
  );
}

function OtherSession({ of: { username } }: { readonly of: User }) {
  return (
    <>
      <p role="status">
        This browser is still logged in as <bdi>@{username}</bdi>, which is another account. To use your new
        password here, log out there first.
      </p>
      <ButtonLink href={paths.dashboard}>Go to Dashboard</ButtonLink>
    </>
  );
}

interface NewPasswordProps {
  readonly token: string;
  /** Called once the password is changed, where somebody else is logged in. */
  readonly onOther: (user: User) => void;
}

function NewPassword({ token, onOther }: NewPasswordProps) {
  const form = useForm({ defaultValues: { newPassword: '' } });
  const attempts = useAttempts();
  const { errors } = form.formState;

  function choose(event: SubmitEvent) {
    event.preventDefault();
    void attempts.run(async () => {
      try {
        await form.handleSubmit(async ({ newPassword }) => {
          await api.auth.resetPassword.mutate({ token, newPassword });
          // The session of this browser has ended with it only where it is one of the same account.
          await verifySession();
          const session = presentSession();
          if (session.status === 'signed-in') return onOther(session.user);
          toastSuccess('Password changed. Log in with your new one.');
          navigate(authFor(paths.dashboard), { replace: true });
        })(event);
      } catch (error) {
        showFailure(form, ['newPassword'], error, MAYBE_CHANGED);
      }
    });
  }

  return (
    <form className={styles.form} noValidate onSubmit={choose}>
      <PasswordField
        label="New password"
        hint="At least 8 characters. All your devices will be logged out."
        autoComplete="new-password"
        required
        error={errors.newPassword?.message}
        {...form.register('newPassword', { required: 'New password is required.' })}
      />
      {errors.root && (
        <p className={styles.failure}>
          {errors.root.message} <a href={LINK_PATHS.reset}>Get a new link</a>
        </p>
      )}
      <Button type="submit" aria-disabled={attempts.isUnderWay}>
        {attempts.isUnderWay ? 'Changing...' : 'Change Password'}
      </Button>
    </form>
  );
}
