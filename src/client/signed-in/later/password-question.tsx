/** The question for the password of the signed-in person, above the screen that needs it. */
import { type SubmitEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { SecondFactors } from '#shared/second-factors.ts';
import { api, failureOf } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { hasPasskeys, signWithPasskey } from '../../later/passkeys.ts';
import { useSession } from '../../session/session.ts';
import { Button } from '../../ui/button.tsx';
import { PasswordField } from '../../ui/later/account-fields.tsx';
import confirmation from '../../ui/later/confirmation.module.css';
import { Dialog } from '../../ui/later/dialog.tsx';

const NO_ANSWER = 'There is no connection. Please try again.';

export type Answer = 'typed' | 'given-up' | 'logged-out';

/** @throws the refusal that says that the session has ended. */
export function ask(): Promise<Answer> {
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  return new Promise<Answer>((resolve, reject) => {
    root.render(<PasswordQuestion onAnswer={resolve} onSessionEnded={reject} />);
  }).finally(() => {
    root.unmount();
    place.remove();
  });
}

interface PasswordQuestionProps {
  readonly onAnswer: (answer: Answer) => void;
  readonly onSessionEnded: (refusal: unknown) => void;
}

function PasswordQuestion({ onAnswer, onSessionEnded }: PasswordQuestionProps) {
  const session = useSession();
  const field = useRef<HTMLInputElement>(null);
  const [failure, setFailure] = useState<string>();
  const { isUnderWay, run } = useAttempts();
  const hasPasskeyHere = useHasPasskeyHere(onSessionEnded);
  useLeaving(isUnderWay, onAnswer);

  function showRefusal(error: unknown) {
    const { code, detail } = failureOf(error);
    if (code === 'session_ended') onSessionEnded(error);
    setFailure(detail ?? NO_ANSWER);
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    void run(async () => {
      const password = field.current?.value ?? '';
      try {
        await api.auth.confirm.mutate({ password });
        onAnswer('typed');
      } catch (error) {
        showRefusal(error);
        field.current?.focus();
      }
    });
  }

  function confirmByPasskey() {
    void run(async () => {
      try {
        const { options } = await api.auth.passkeyConfirmOptions.mutate();
        const response = await signWithPasskey(options);
        if (response === null) return setFailure('No passkey was used. Type your password.');
        await api.auth.confirmByPasskey.mutate({ response });
        onAnswer('typed');
      } catch (error) {
        showRefusal(error);
      }
    });
  }

  return (
    <Dialog
      title="Enter your password to go on"
      size="question"
      onClose={() => isUnderWay || onAnswer('given-up')}
    >
      <p>You logged in a while ago. Your password shows that it is still you.</p>
      <form noValidate onSubmit={submit}>
        {/* Password managers learn from this field whose password is asked for. */}
        <input
          type="text"
          name="username"
          autoComplete="username"
          value={session.status === 'signed-in' ? session.user.email : ''}
          readOnly
          hidden
        />
        <PasswordField
          ref={field}
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          error={failure}
        />
        <div className={confirmation.answers}>
          <Button type="submit" aria-disabled={isUnderWay}>
            {isUnderWay ? 'One moment...' : 'Go On'}
          </Button>
          {hasPasskeyHere && (
            <Button look="quiet" aria-disabled={isUnderWay} onClick={confirmByPasskey}>
              Use a Passkey
            </Button>
          )}
          <Button look="quiet" aria-disabled={isUnderWay} onClick={() => isUnderWay || onAnswer('given-up')}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Whether the account has a passkey for this site; false until the server has said so. */
function useHasPasskeyHere(onSessionEnded: PasswordQuestionProps['onSessionEnded']): boolean {
  const [hasPasskeyHere, setHasPasskeyHere] = useState(false);
  useEffect(() => {
    if (!hasPasskeys()) return;
    const show = ({ passkeys }: SecondFactors) =>
      setHasPasskeyHere(passkeys.some(({ worksHere }) => worksHere));
    api.secondFactors.list.query().then(show, (error: unknown) => {
      // Without an answer the password does.
      if (failureOf(error).code === 'session_ended') onSessionEnded(error);
    });
  }, [onSessionEnded]);
  return hasPasskeyHere;
}

/** Answers in the place of somebody whose screen, which has asked, goes away. */
function useLeaving(isUnderWay: boolean, onAnswer: PasswordQuestionProps['onAnswer']): void {
  // Back and Forward leave the screen, also before the browser has painted the question, when effects begin.
  useLayoutEffect(() => {
    const place = presentPlace();
    const giveUp = () => {
      // A question about leaving has undone the step before (ui/later/unsaved.tsx).
      if (presentPlace() !== place) onAnswer('given-up');
    };
    window.addEventListener('popstate', giveUp);
    return () => window.removeEventListener('popstate', giveUp);
  }, [onAnswer]);

  // Another tab may log out, which takes the screen away. A call that is refused says so itself.
  const isLoggedOut = useSession().status === 'signed-out' && !isUnderWay;
  useEffect(() => {
    if (isLoggedOut) onAnswer('logged-out');
  }, [isLoggedOut, onAnswer]);
}

function presentPlace(): string {
  return window.location.href + JSON.stringify(window.history.state);
}
