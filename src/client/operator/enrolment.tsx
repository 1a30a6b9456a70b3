/** Where a link for an operator leads: it is used, and then the operator enrols before anything else. */
import { type ReactNode, type SubmitEvent, useEffect, useState } from 'react';
import { brand } from '#shared/brand.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { PasswordField } from '../ui/later/account-fields.tsx';
import { useUnsaved } from '../ui/later/unsaved.tsx';
import { Loading } from '../ui/states.tsx';
import { useAttempt } from './attempt.ts';
import styles from './console.module.css';
import { consoleApi, failureOf, queryClient } from './console-api.ts';
import { beginSession } from './console-session.ts';
import { LogOut } from './log-out.tsx';
import { hasPasskeys, makePasskey } from './passkeys.ts';
import { RecoveryCodes } from './recovery-codes.tsx';

/** The page of a link, before it is used: opening it changes nothing. */
export function LinkPage({ token }: { readonly token: string }) {
  const [owner, setOwner] = useState<{ readonly email: string; readonly hasEnrolled: boolean }>();
  const [refusal, setRefusal] = useState<string>();
  const { isUnderWay, failure, attempt } = useAttempt();

  useEffect(() => {
    consoleApi.session.readLink.mutate({ token }).then(setOwner, (error: unknown) => {
      const { detail, code } = failureOf(error);
      setRefusal(
        code === 'link_ended' ? 'This link was used already, or it is older than 30 minutes.' : detail,
      );
    });
  }, [token]);

  const use = () =>
    attempt(async () => {
      const begun = await consoleApi.session.useLink.mutate({ token });
      // The link must not come back with the address.
      window.history.replaceState(null, '', window.location.pathname);
      queryClient.clear();
      beginSession(begun.token);
    });

  return (
    <Door title="Your Link">
      {!owner && refusal === undefined && <Loading />}
      {refusal !== undefined && (
        <>
          <p role="alert">{refusal}</p>
          <p className={styles.aside}>
            Whoever has a shell on the server makes a new one: <code>npm run operator -- link EMAIL</code>
          </p>
        </>
      )}
      {owner && (
        <>
          <p>
            This link is for <bdi>{owner.email}</bdi>. It works once.
          </p>
          {owner.hasEnrolled && (
            <p>
              It ends your other sessions, and the passkeys, password and authenticator app that you use now.
              You choose a new way to log in next.
            </p>
          )}
          <Button aria-disabled={isUnderWay} onClick={use}>
            {isUnderWay ? 'One moment...' : 'Use the Link'}
          </Button>
          <Failure>{failure}</Failure>
        </>
      )}
    </Door>
  );
}

interface EnrolmentProps {
  readonly email: string;
  readonly onEnrolled: () => void;
  /** Called instead where there are codes to keep: the operator has enrolled, and sees them this once. */
  readonly onCodes: (codes: readonly string[]) => void;
}

export function Enrolment({ email, onEnrolled, onCodes }: EnrolmentProps) {
  const [way, setWay] = useState<'passkey' | 'password'>(hasPasskeys() ? 'passkey' : 'password');
  return (
    // The key lets the heading take the focus of the button that makes room for the other way.
    <Door key={way} title="Choose How You Log In">
      <p>
        You are <bdi>{email}</bdi>. If you leave now, you need a new link.
      </p>
      {way === 'passkey' ? (
        <PasskeyWay onEnrolled={onEnrolled} onOther={() => setWay('password')} />
      ) : (
        <PasswordWay email={email} onCodes={onCodes} onOther={() => setWay('passkey')} />
      )}
      <LogOut>Leave</LogOut>
    </Door>
  );
}

export function FirstRecoveryCodes({
  codes,
  onKept,
}: {
  readonly codes: readonly string[];
  readonly onKept: () => void;
}) {
  const [mayGo, setMayGo] = useState(false);
  const release = () => setMayGo(true);
  const leaving = useUnsaved(!mayGo, release);
  return (
    <Door title="Recovery Codes">
      <RecoveryCodes
        codes={codes}
        leaving={leaving}
        onKept={() => {
          release();
          onKept();
        }}
      />
    </Door>
  );
}

function PasskeyWay({
  onEnrolled,
  onOther,
}: {
  readonly onEnrolled: () => void;
  readonly onOther: () => void;
}) {
  const { isUnderWay, failure, attempt } = useAttempt();

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name') ?? '');
    attempt(async () => {
      const { options } = await consoleApi.enrolment.beginPasskey.mutate();
      const response = await makePasskey(options);
      await consoleApi.enrolment.addPasskey.mutate({ response, name });
      onEnrolled();
    });
  }

  return (
    <form noValidate onSubmit={submit} className={styles.form}>
      <p>
        A passkey is the safest way: your device asks for your finger, your face or its PIN. No password is
        needed.
      </p>
      <Field label="Name of this passkey" name="name" defaultValue="My device" maxLength={60} required />
      <Button type="submit" aria-disabled={isUnderWay}>
        {isUnderWay ? 'One moment...' : 'Add a Passkey'}
      </Button>
      <Failure>{failure}</Failure>
      <Button look="quiet" onClick={onOther}>
        Use a Password and an App
      </Button>
    </form>
  );
}

type Setup = Awaited<ReturnType<typeof consoleApi.enrolment.beginTotp.mutate>>;

function PasswordWay(props: {
  readonly email: string;
  readonly onCodes: (codes: readonly string[]) => void;
  readonly onOther: () => void;
}) {
  const { email, onCodes, onOther } = props;
  const [setup, setSetup] = useState<Setup>();
  const { isUnderWay, failure, attempt } = useAttempt();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a secret is made once each time this is shown
  useEffect(() => {
    let isWanted = true;
    attempt(async () => {
      const begun = await consoleApi.enrolment.beginTotp.mutate();
      if (isWanted) setSetup(begun);
    });
    return () => {
      isWanted = false;
    };
  }, []);

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const given = { password: String(form.get('password') ?? ''), code: String(form.get('code') ?? '') };
    attempt(async () => onCodes((await consoleApi.enrolment.confirmTotp.mutate(given)).codes));
  }

  return (
    <form noValidate onSubmit={submit} className={styles.form}>
      {/* Password managers learn from this field whose password it is. */}
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label="Password"
        hint="8 characters or more."
        name="password"
        autoComplete="new-password"
        required
      />
      {setup && <AppSetup setup={setup} />}
      <Field
        label="Code from the app"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={7}
        required
      />
      <Button type="submit" aria-disabled={isUnderWay}>
        {isUnderWay ? 'One moment...' : 'Go On'}
      </Button>
      <Failure>{failure}</Failure>
      {hasPasskeys() && (
        <Button look="quiet" onClick={onOther}>
          Use a Passkey
        </Button>
      )}
    </form>
  );
}

function AppSetup({ setup: { secret, uri, qr } }: { readonly setup: Setup }) {
  return (
    <>
      <p>Scan this with your authenticator app, or open the link on this phone.</p>
      <svg
        className={styles.qr}
        viewBox={`0 0 ${qr.size} ${qr.size}`}
        role="img"
        aria-label="QR code for your authenticator app"
      >
        <rect width={qr.size} height={qr.size} fill="#fff" />
        <path d={qr.path} fill="#000" />
      </svg>
      <p>
        <a href={uri}>Open your authenticator app</a>
      </p>
      <p className={styles.aside}>
        Or type this key: <code>{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
      </p>
    </>
  );
}

function Door({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className={styles.door}>
      <title>{`${title} · Operator · ${brand.name}`}</title>
      <ScreenHeading className={styles.heading}>{title}</ScreenHeading>
      {children}
    </main>
  );
}

function Failure({ children }: { readonly children: string | undefined }) {
  return (
    <p role="alert" className={styles.failure}>
      {children}
    </p>
  );
}
