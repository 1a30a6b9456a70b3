/** The part of the payment in which a giver adds a message or changes it, or sees the message that was sent. */
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useSession } from '../session/session.ts';
import { toastError } from '../toasts.ts';
import { Button } from '../ui/button.tsx';
import { Quote } from '../ui/later/quote.tsx';
import type { Attempt, TipMessage } from './attempt.ts';
import { complaintAbout, NO_MESSAGE, NOT_TAKEN, sentMessage } from './attempt.ts';
import type { messageForm } from './message-form.tsx';
import { GUEST } from './payer.ts';
import styles from './payment-step.module.css';
import type { Provider } from './provider.ts';

export type MessageForm = typeof messageForm;

interface MessagePartProps {
  readonly attempt: Attempt;
  readonly provider: Provider;
  readonly isPaying: boolean;
  readonly form: MessageForm | null;
  readonly onForm: (form: MessageForm) => void;
  readonly onChange: (words: TipMessage | undefined) => void;
}

export function MessagePart({ attempt, provider, isPaying, form, onForm, onChange }: MessagePartProps) {
  const { words, wasSent } = attempt;
  const session = useSession();
  /** Null for a guest, who has no name to give. */
  const giverName = attempt.userId !== GUEST && session.status === 'signed-in' ? session.user.fullName : null;
  const [isAskedFor, setAskedFor] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  /** True when the message was just removed, with the button that had the focus. */
  const wasRemoved = useRef(false);
  const isOpen = words !== undefined;
  /** The present state for a tap whose form comes late: the giver may have begun to pay, or have gone back. */
  const isOffered = useRef(false);
  useEffect(() => {
    isOffered.current = !isPaying && !isOpen;
    return () => {
      isOffered.current = false;
    };
  }, [isPaying, isOpen]);
  useEffect(() => {
    if (!isOpen && wasRemoved.current) button.current?.focus();
    wasRemoved.current = false;
  }, [isOpen]);

  async function open(isTapped: boolean) {
    const loaded =
      form ?? (await import('./message-form.tsx').then(({ messageForm }) => messageForm).catch(() => null));
    if (loaded !== null) {
      onForm(loaded);
      setAskedFor(isTapped);
      if (isTapped && isOffered.current) onChange(NO_MESSAGE);
    } else if (isTapped) {
      toastError('The message cannot be written now. Check your connection and try again.');
    }
  }

  const notTaken = complaintAbout(NOT_TAKEN, words);
  // A message from before a reload, or another step of the history, opens the form.
  const isWanted = isOpen && !wasSent && notTaken === undefined;
  const openAgain = useEffectEvent(() => void open(false));
  useEffect(() => {
    if (isWanted) openAgain();
  }, [isWanted]);

  if (notTaken !== undefined) return <p className={styles.note}>{notTaken}</p>;
  if (wasSent) return <Written attempt={attempt} giverName={giverName} />;
  if (!provider.takesWords && !isOpen) return null;
  if (words && form) {
    return (
      <form.MessageForm
        words={words}
        receiver={provider.fullName}
        giverName={giverName}
        isLocked={isPaying}
        takesFocus={isAskedFor}
        onChange={onChange}
        onRemove={() => {
          wasRemoved.current = true;
          onChange(undefined);
        }}
      />
    );
  }
  return (
    <>
      <Written attempt={attempt} giverName={giverName} />
      <Button ref={button} look="quiet" aria-disabled={isPaying} onClick={() => isPaying || void open(true)}>
        {words ? 'Change Message' : 'Add a Message'}
      </Button>
    </>
  );
}

function Written({ attempt, giverName }: { readonly attempt: Attempt; readonly giverName: string | null }) {
  const { message, withName } = sentMessage(attempt);
  const name = withName ? (giverName ?? 'you') : null;
  if (message === undefined) {
    return name === null ? null : (
      <p>
        With your name: <bdi>{name}</bdi>
      </p>
    );
  }
  return (
    <Quote text={message}>
      {name === null ? (
        'Your message, without your name'
      ) : (
        <>
          Your message, from <bdi>{name}</bdi>
        </>
      )}
    </Quote>
  );
}
