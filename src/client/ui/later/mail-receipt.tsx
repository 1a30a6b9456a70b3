/** Sends the receipt of a tip by mail: to the giver's own email, or to the one that a guest types. */
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { call } from '../../calls.ts';
import { Button } from '../button.tsx';
import { EmailField } from './account-fields.tsx';
import styles from './mail-receipt.module.css';
import { sendsMail } from './sends-mail.ts';

const NO_ANSWER =
  'There was no answer, so we don’t know whether the receipt was sent. Look at your mail before you try again.';

interface MailReceiptProps {
  readonly name: string;
  readonly isGuest: boolean;
}

export function MailReceipt({ name, isGuest }: MailReceiptProps) {
  const [step, setStep] = useState<'offer' | 'address' | 'sending' | 'sent'>('offer');
  const [failure, setFailure] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const told = useRef<HTMLParagraphElement>(null);
  const isAsking = isGuest && (step === 'address' || step === 'sending');
  const isSent = step === 'sent';
  useEffect(() => {
    if (document.activeElement !== document.body) return;
    // The pressed button is gone.
    if (isSent) told.current?.focus();
    else if (isAsking) field.current?.focus();
  }, [isSent, isAsking]);
  if (!sendsMail()) return null;

  async function send(email?: string) {
    setStep('sending');
    setFailure(null);
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    const outcome = await call(
      (api) =>
        api.transactions.mailReceipt.mutate({ id: name, timeZone, ...(email !== undefined && { email }) }),
      isGuest ? 'guestApi' : 'api',
    );
    setStep(outcome.failure === null ? 'sent' : isGuest ? 'address' : 'offer');
    if (outcome.failure !== null) setFailure(outcome.failure.detail ?? NO_ANSWER);
  }

  function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const email = new FormData(event.currentTarget).get('email');
    if (step !== 'sending') void send(typeof email === 'string' ? email : '');
  }

  return (
    <div className={styles.part}>
      {isAsking ? (
        <form className={styles.part} noValidate onSubmit={submit}>
          <EmailField ref={field} name="email" error={failure ?? undefined} />
          <Button look="quiet" type="submit" aria-disabled={step === 'sending'}>
            {step === 'sending' ? 'Sending...' : 'Send'}
          </Button>
        </form>
      ) : (
        !isSent && (
          <>
            <Button
              look="quiet"
              aria-disabled={step === 'sending'}
              onClick={() => (isGuest ? setStep('address') : step === 'offer' && void send())}
            >
              {step === 'sending' ? 'Sending...' : 'Email Me the Receipt'}
            </Button>
            {failure !== null && (
              <p role="alert" className={styles.failure}>
                {failure}
              </p>
            )}
          </>
        )
      )}
      <p ref={told} role="status" tabIndex={-1} className={styles.told}>
        {isSent && 'The receipt is on its way.'}
      </p>
    </div>
  );
}
