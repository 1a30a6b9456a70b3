/** A paused code, which one tap lets take tips again. */

import { type RefObject, useEffect, useRef, useState } from 'react';
import type { QrCode } from '#shared/qr-codes.ts';
import { unanswered } from '../../api-client/api.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { Button } from '../../ui/button.tsx';
import { isGone, sentenceOf } from '../codes/code-changes.ts';
import { focusIfLost } from '../question.ts';
import styles from './shift.module.css';

const CONFIRMED_MS = 6_000;

interface Resume {
  readonly isUnderWay: boolean;
  readonly isDone: boolean;
  readonly failure: string | null;
  readonly run: () => void;
  /** Takes the focus of the button, which is gone when the code takes tips again. */
  readonly confirmation: RefObject<HTMLParagraphElement | null>;
}

/** Confirms and fails on the screen itself, because toasts would lie over the code. */
export function useResume({ id, status }: QrCode): Resume {
  const utils = trpc.useUtils();
  const confirmation = useRef<HTMLParagraphElement>(null);
  const [isDone, setDone] = useState(false);
  const change = trpc.qrCodes.update.useMutation({
    async onSuccess(code) {
      await utils.qrCodes.list.cancel();
      utils.qrCodes.list.setData(undefined, (codes) => codes?.map((one) => (one.id === id ? code : one)));
      setDone(true);
    },
    onError(error) {
      if (isGone(error)) void utils.qrCodes.invalidate();
    },
  });

  const { reset } = change;
  useEffect(() => {
    // A failure of this time is none of the next time that the code is paused.
    if (status === 'active') reset();
  }, [status, reset]);

  // The list may be drawn after the confirmation, and only then is the pressed button gone.
  const isShown = isDone && status === 'active';
  useEffect(() => {
    if (!isShown) return;
    focusIfLost(confirmation.current);
    const timer = setTimeout(() => setDone(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [isShown]);

  return {
    isUnderWay: change.isPending,
    isDone: isShown,
    failure: change.isError ? sentenceOf(change.error, unanswered('the code was changed')) : null,
    run: () => change.mutate({ id, status: 'active' }),
    confirmation,
  };
}

export function Paused({ resume }: { readonly resume: Resume }) {
  return (
    <div className={styles.paused}>
      <p className={styles.pausedWord}>Paused</p>
      <p>Customers see “Not taking tips right now”</p>
      <Button aria-disabled={resume.isUnderWay} onClick={() => resume.isUnderWay || resume.run()}>
        {resume.isUnderWay ? 'Resuming...' : 'Resume'}
      </Button>
      <p role="alert" className={styles.failure}>
        {resume.failure}
      </p>
    </div>
  );
}
