/** The card of the last received tip, which leads to its receipt. One tap sends the first ready thank-you. */
import { Check, Ellipsis } from 'lucide-react';
import { lazy, type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Link } from 'wouter';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { formatMoney } from '#shared/money.ts';
import { isArriving, isKept } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import { api, failureOf, unanswered } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { dashboardTab } from '../../later/addresses.ts';
import { paths } from '../../paths.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { shortDateTime } from '../../signed-in/short-date-time.ts';
import { Button } from '../../ui/button.tsx';
import { useShowTip } from '../messages/message-changes.ts';
import { PROPOSED, useReadyThankYous } from '../messages/thank-yous.ts';
import { FetchedDialog } from '../shared/fetched.tsx';
import { keptOf } from './kept.ts';
import styles from './last-tip.module.css';

const MessagesDialog = lazy(() =>
  import('../messages/messages-dialog.tsx').then(({ MessagesDialog }) => ({ default: MessagesDialog })),
);

interface LastTipProps {
  readonly tip: Transaction;
  readonly othersCount: number;
  /** Keeps the card, though its tip may be thanked for, and though a newer one may come before `onAnswered`. */
  readonly onAnswer: () => void;
  readonly onAnswered: () => void;
  readonly onSeen: () => void;
  readonly onDismiss: () => void;
}

export function LastTip({ tip, othersCount, onAnswer, onAnswered, onSeen, onDismiss }: LastTipProps) {
  const { id, amountCents, serviceCategory, createdAt, giverName, message, thankedAt, thankYou } = tip;
  const [isOpen, setOpen] = useState(false);
  const answer = useRef<HTMLParagraphElement>(null);
  const isThanked = thankedAt !== null;
  const see = useEffectEvent(onSeen);
  useEffect(() => {
    if (!isThanked) return;
    see();
    // The pressed button is gone.
    if (document.activeElement === document.body) answer.current?.focus({ preventScroll: true });
  }, [isThanked]);

  return (
    <section className={styles.card} aria-label="Last tip">
      <div className={styles.head}>
        <p>
          {CATEGORY_LABELS[serviceCategory]} · <time dateTime={createdAt}>{shortDateTime(createdAt)}</time>
        </p>
        {othersCount > 0 && <Link href={dashboardTab('transactions')}>+{othersCount} more</Link>}
        <button type="button" aria-label="Dismiss" className={styles.dismiss} onClick={onDismiss}>
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="m6 6 12 12M18 6 6 18" />
          </svg>
        </button>
      </div>
      <Link href={paths.transaction(id)} className={styles.tip} onClick={onSeen}>
        <span>
          <strong className={styles.amount}>{formatMoney(amountCents)} tip</strong> · {keptOf(tip)}
          {isArriving(tip) && ' · arriving'}
        </span>
        {(giverName !== null || message !== null) && (
          <span dir="auto" className={styles.message}>
            {giverName !== null && <bdi className={styles.giver}>{giverName}</bdi>}
            {giverName !== null && message !== null && ': '}
            {message !== null && <bdi>{message}</bdi>}
          </span>
        )}
      </Link>
      {isThanked && (
        <p ref={answer} tabIndex={-1} className={styles.answer}>
          <Check aria-hidden />
          <span>
            You said: <bdi>{thankYou}</bdi>
          </span>
        </p>
      )}
      {!isThanked && isKept(tip) && (
        <Thank tip={tip} onAnswer={onAnswer} onAnswered={onAnswered}>
          <Button
            look="quiet"
            aria-label="More"
            className={styles.more}
            onClick={() => {
              onAnswer();
              setOpen(true);
            }}
          >
            <Ellipsis aria-hidden />
          </Button>
        </Thank>
      )}
      {isOpen && (
        <FetchedDialog>
          <MessagesDialog
            tip={tip}
            onClose={() => {
              setOpen(false);
              onAnswered();
              if (tip.reportedAt !== null) onDismiss();
            }}
          />
        </FetchedDialog>
      )}
    </section>
  );
}

interface ThankProps extends Pick<LastTipProps, 'tip' | 'onAnswer' | 'onAnswered'> {
  readonly children: ReactNode;
}

/** The button says what it sends, because a thank-you cannot be taken back. */
function Thank({ tip, onAnswer, onAnswered, children }: ThankProps) {
  const { texts } = useReadyThankYous();
  const [failure, setFailure] = useState<string | null>(null);
  const { isUnderWay, run } = useAttempts();
  const utils = trpc.useUtils();
  const show = useShowTip();
  // The proposed one can be sent even when one's own could not be loaded.
  const text = texts.status === 'ready' ? texts.data[0] : PROPOSED[0];
  const isReady = texts.status !== 'loading' && text !== undefined;

  async function thank() {
    if (!isReady) return;
    setFailure(null);
    onAnswer();
    try {
      show(await api.messages.thank.mutate({ id: tip.id, text }));
      onAnswered();
    } catch (error) {
      const { code, detail } = failureOf(error);
      setFailure(detail ?? unanswered('the thank-you was sent'));
      // Another device may have said it, or this one, whose answer was lost: the lists show it.
      if (code === 'thanked_already') onAnswered();
      if (code === 'thanked_already' || detail === null) void utils.transactions.invalidate();
    }
  }

  return (
    <>
      {failure !== null && (
        <p role="alert" className={styles.failure}>
          {failure}
        </p>
      )}
      <div className={styles.actions}>
        <Button
          className={styles.thank}
          aria-disabled={isUnderWay || !isReady}
          onClick={() => void run(thank)}
        >
          {isUnderWay ? (
            'Sending...'
          ) : (
            <>
              Thank
              {isReady && (
                <>
                  : <bdi className={styles.text}>{text}</bdi>
                </>
              )}
            </>
          )}
        </Button>
        {children}
      </div>
    </>
  );
}
