/** The button that takes a tip back from its success, with the time that is left for it. */
import { useEffect, useId, useState } from 'react';
import { countdown, useLeftMs } from '../giving/later/left.ts';
import { toastError } from '../toasts.ts';
import { Button } from '../ui/button.tsx';
import { timeOf } from '../ui/later/time-of.ts';
import { Held } from './held.tsx';
import type { Provider } from './provider.ts';
import styles from './success-step.module.css';
import type { Receipt } from './tip-flow.ts';
import type { undoQuestion } from './undo-question.tsx';

const fetchQuestion = () =>
  import('./undo-question.tsx').then(({ undoQuestion }) => undoQuestion).catch(() => null);

interface UndoProps {
  readonly receipt: Receipt;
  readonly provider: Provider;
}

export function Undo({ receipt, provider }: UndoProps) {
  const { undoUntil, capturesAt } = receipt;
  const leftMs = useLeftMs(undoUntil);
  const [asked, setAsked] = useState<typeof undoQuestion | null>(null);
  const untilId = useId();
  const isOffered = undoUntil !== null && leftMs > 0;
  useEffect(() => {
    // The question is there when it is asked for, also when the connection is lost in between.
    if (isOffered) void fetchQuestion();
  }, [isOffered]);

  async function ask() {
    const question = await fetchQuestion();
    setAsked(question);
    if (question === null) toastError('Undo needs a connection. Please try again.');
  }

  return (
    <>
      {asked && <asked.UndoQuestion receipt={receipt} provider={provider} onCancel={() => setAsked(null)} />}
      {isOffered && <Held capturesAt={capturesAt} />}
      {isOffered && (
        <Button
          ref={handFocusOnLater}
          look="quiet"
          className={styles.undo}
          aria-describedby={untilId}
          onClick={() => void ask()}
        >
          <span>
            Undo
            {/* A name that changes each second would be read out each second. */}
            <span aria-hidden> · {countdown(leftMs)}</span>
          </span>
          <span id={untilId} hidden>
            You can take this tip back until {timeOf(new Date(undoUntil))}.
          </span>
        </Button>
      )}
    </>
  );
}

/**
 * A button that goes while it has the focus leaves it to the heading of its step. It is the same function in each
 * second: React calls what a ref returned also when the next ref is another function.
 */
function handFocusOnLater(button: HTMLButtonElement | null) {
  return () => {
    if (button !== document.activeElement) return;
    button?.closest('section')?.querySelector('h2')?.focus({ preventScroll: true });
  };
}
