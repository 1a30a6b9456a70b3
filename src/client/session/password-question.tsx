/** The question for the password of whoever is logged in. It stands above whatever asked, which stays as it is. */
import { type SubmitEvent, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { api, failureOf } from '../api.ts';
import { useAttempts } from '../ui/attempts.ts';
import { Button } from '../ui/button.tsx';
import confirmation from '../ui/confirmation.module.css';
import { Dialog } from '../ui/dialog.tsx';
import { PasswordField } from '../ui/password-field.tsx';
import { useSession } from './session.ts';

const NO_ANSWER = 'There is no connection. Please try again.';

/** @returns whether the server took the password. */
export function ask(): Promise<boolean> {
  const place = document.body.appendChild(document.createElement('div'));
  const root = createRoot(place);
  return new Promise((resolve) => {
    function answer(isTyped: boolean) {
      root.unmount();
      place.remove();
      resolve(isTyped);
    }
    root.render(<PasswordQuestion onAnswer={answer} />);
  });
}

function PasswordQuestion({ onAnswer }: { readonly onAnswer: (isTyped: boolean) => void }) {
  const session = useSession();
  const field = useRef<HTMLInputElement>(null);
  const [failure, setFailure] = useState<string>();
  const { isUnderWay, run } = useAttempts();

  function submit(event: SubmitEvent) {
    event.preventDefault();
    void run(async () => {
      const password = field.current?.value ?? '';
      try {
        await api.auth.confirm.mutate({ password });
        onAnswer(true);
      } catch (error) {
        const { code, detail } = failureOf(error);
        if (code === 'session_ended') onAnswer(false);
        setFailure(detail ?? NO_ANSWER);
        field.current?.focus();
      }
    });
  }

  return (
    <Dialog
      title="Enter your password to go on"
      size="question"
      onClose={() => isUnderWay || onAnswer(false)}
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
          <Button look="quiet" aria-disabled={isUnderWay} onClick={() => isUnderWay || onAnswer(false)}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
