/** The screen of login and sign-up. After a login the guard SignedOutOnly leads on. */
import { lazy, type SubmitEvent, useState, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import type { Credentials } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { type InvitationLink, invitationIn, isInvited, withInvitation } from '#shared/invitations.ts';
import { failureOf } from '../api-client/api.ts';
import { type Attempts, useAttempts } from '../controls/attempts.ts';
import { Tabs } from '../controls/tabs.tsx';
import { useFragment } from '../fragment.ts';
import { authFor, authTabIn } from '../later/addresses.ts';
import { paths } from '../paths.ts';
import { dayOfClosing } from '../session/closed-account.ts';
import { Later } from '../ui/boundary.tsx';
import { Button } from '../ui/button.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import card from '../ui/card.module.css';
import { NotShown } from '../ui/failed-screen.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { ArrowLeftIcon } from '../ui/icons.tsx';
import { EmailField, PasswordField } from '../ui/later/account-fields.tsx';
import { operatorContact } from '../ui/later/contact.ts';
import { showFailure } from '../ui/later/failures.ts';
import { NO_NEW_ACCOUNTS, registrationMode } from '../ui/later/registration-mode.ts';
import { Screen } from '../ui/screen.tsx';
import styles from './auth.module.css';
import { ForgotPassword } from './forgot-password.tsx';
import {
  enter,
  LOGIN_FAILED,
  LOGIN_FIELDS,
  type LoginFormState,
  loadRulesIfPossible,
  useLoginForm,
  useSignUpForm,
} from './forms.ts';
import { InvitationNeeded } from './invitation-needed.tsx';
import { nextFrom, nextQrId } from './next.ts';
import { PasskeyLogin } from './passkey-login.tsx';
import { useProposedUsername } from './proposed-username.ts';
import { SignUpForm } from './sign-up-form.tsx';
import { WaitingTipSlip } from './waiting-tip-slip.tsx';

const SecondStep = lazy(async () => ({ default: (await import('./later/second-step.tsx')).SecondStep }));

export function Auth() {
  const qrId = nextQrId(useSearch());
  const isClosed = registrationMode() === 'closed';
  const title = isClosed ? 'Login' : 'Login or Sign Up';
  // The page that the server renders knows nothing of this tab.
  const closedOn = useSyncExternalStore(neverChanges, dayOfClosing, () => null);
  return (
    <Screen
      title={title}
      actions={
        <ButtonLink look="quiet" href={paths.home}>
          <ArrowLeftIcon /> Back to Home
        </ButtonLink>
      }
    >
      <div className={styles.spread}>
        <div className={styles.intro}>
          <ScreenHeading>{title}</ScreenHeading>
          {qrId === null ? (
            <p>{closedOn === null ? brand.tagline : welcomeBack(closedOn)}</p>
          ) : (
            <WaitingTipSlip qrId={qrId} />
          )}
        </div>
        <section
          className={[card.card, styles.card].join(' ')}
          aria-labelledby="welcome"
          // The rules are fetched before the first submit, which fetches them again if this fails.
          onFocus={loadRulesIfPossible}
        >
          <h2 id="welcome">Welcome</h2>
          {isClosed ? <LoginAlone /> : <LoginOrSignUp />}
          <noscript>
            <p>Logging in takes JavaScript. Please switch it on and load this page again.</p>
          </noscript>
        </section>
      </div>
    </Screen>
  );
}

function LoginAlone() {
  const attempts = useAttempts();
  const login = useLoginForm();
  return (
    <>
      <LoginForm form={login} attempts={attempts} />
      <NoNewAccounts />
    </>
  );
}

function LoginOrSignUp() {
  const search = useSearch();
  const next = nextFrom(search) ?? paths.dashboard;
  const isByInvitation = registrationMode() === 'invite';
  const invitation = useInvitation();
  const isTakenOver = useSyncExternalStore(neverChanges, yes, no);
  const attempts = useAttempts();
  const login = useLoginForm();
  const signUp = useSignUpForm();
  const username = useProposedUsername(signUp);

  const isByLink = isInvited(search);
  const isLeftOut = isByInvitation && invitation === null && (isTakenOver || !isByLink);
  const signUpAddress = authFor(next, 'sign-up');

  async function enterNewAccount(credentials: Credentials) {
    try {
      await enter(credentials);
    } catch (error) {
      login.reset({ email: credentials.email, password: '' });
      signUp.reset();
      username.takeTyped();
      flushSync(() => navigate(authFor(next), { replace: true }));
      showFailure(login, LOGIN_FIELDS, error, LOGIN_FAILED);
      login.setFocus('password');
    }
  }

  return (
    <Tabs
      label="Login or sign up"
      value={authTabIn(search)}
      replacesHistory
      isLocked={attempts.isUnderWay}
      tabs={[
        {
          value: 'login',
          href: authFor(next),
          label: 'Login',
          panel: <LoginForm form={login} attempts={attempts} />,
        },
        {
          value: 'sign-up',
          href: invitation ? withInvitation(signUpAddress, invitation) : signUpAddress,
          label: 'Sign Up',
          panel: isLeftOut ? (
            <InvitationNeeded isLinkBroken={isByLink} />
          ) : (
            <SignUpForm
              isByInvitation={isByInvitation}
              invitation={isByInvitation ? invitation : null}
              form={signUp}
              username={username}
              isForGiver={nextQrId(search) !== null}
              attempts={attempts}
              onCreated={enterNewAccount}
            />
          ),
        },
      ]}
    />
  );
}

const neverChanges = () => () => {};
const yes = () => true;
const no = () => false;

function welcomeBack(day: string): string {
  return `Your account is closed. Log in by ${day} to bring it back.`;
}

/** The invitation is kept while the screen is, because the address of the login has none. */
function useInvitation(): InvitationLink | null {
  const found = invitationIn(useFragment());
  const [kept, setKept] = useState<InvitationLink | null>(null);
  if (found !== null && found.token !== kept?.token) setKept(found);
  return found ?? kept;
}

function NoNewAccounts() {
  const contact = operatorContact();
  return (
    <p className={styles.closed}>
      {NO_NEW_ACCOUNTS}{' '}
      {contact ? (
        <>
          Questions? Contact <a href={contact.href}>{contact.text}</a>.
        </>
      ) : (
        'Questions? Ask whoever runs it.'
      )}
    </p>
  );
}

interface LoginFormProps {
  readonly form: LoginFormState;
  readonly attempts: Attempts;
}

function LoginForm({ form, attempts }: LoginFormProps) {
  const { errors } = form.formState;
  /** The right email and password of an account whose second factor is to come. */
  const [known, setKnown] = useState<Credentials | null>(null);

  async function tryToEnter(credentials: Credentials) {
    try {
      await enter(credentials);
    } catch (error) {
      if (failureOf(error).code !== 'second_factor_needed') throw error;
      setKnown(credentials);
    }
  }

  function logIn(event: SubmitEvent) {
    event.preventDefault();
    void attempts.run(async () => {
      try {
        await form.handleSubmit(tryToEnter)(event);
      } catch (error) {
        showFailure(form, LOGIN_FIELDS, error, LOGIN_FAILED);
      }
    });
  }

  function goBack() {
    flushSync(() => setKnown(null));
    form.setFocus('password');
  }

  if (known !== null)
    return (
      <Later otherwise={<NotShown />}>
        <SecondStep credentials={known} attempts={attempts} onBack={goBack} />
      </Later>
    );
  return (
    // The method "dialog" keeps the browser from sending this form before the script does.
    <form className={styles.form} method="dialog" noValidate onSubmit={logIn}>
      <EmailField autoComplete="username" error={errors.email?.message} {...form.register('email')} />
      <PasswordField
        label="Password"
        autoComplete="current-password"
        required
        error={errors.password?.message}
        {...form.register('password')}
      />
      {errors.root && <p className={styles.failure}>{errors.root.message}</p>}
      <Button type="submit" aria-disabled={attempts.isUnderWay}>
        {attempts.isUnderWay ? 'Logging in...' : 'Login'}
      </Button>
      <PasskeyLogin attempts={attempts} />
      <ForgotPassword />
    </form>
  );
}
