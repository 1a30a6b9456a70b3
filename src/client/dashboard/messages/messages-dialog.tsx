/** A received tip in the order of what was written: the giver's message, the thank-you, then what else can be done. */
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { formatMoney } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';
import { shortDateTime } from '../../signed-in/short-date-time.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { operatorContact } from '../../ui/later/contact.ts';
import { Dialog } from '../../ui/later/dialog.tsx';
import { keptOf } from '../../ui/later/tip-changes.ts';
import { LeaveQuestion, useUnsaved } from '../../ui/later/unsaved.tsx';
import { useIsOpen } from '../is-open.ts';
import { focusIfLost } from '../question.ts';
import { GivenMessage } from './given-message.tsx';
import styles from './messages.module.css';
import { Thanks } from './thanks.tsx';
import { useTipActions } from './tip-actions.tsx';

interface MessagesDialogProps {
  readonly tip: Transaction;
  readonly onClose: () => void;
}

export function MessagesDialog({ tip, onClose }: MessagesDialogProps) {
  const { amountCents, serviceCategory, createdAt } = tip;
  const [isOwnTyped, setOwnTyped] = useState(false);
  const [areReadyTyped, setReadyTyped] = useState(false);
  function discard() {
    setOwnTyped(false);
    setReadyTyped(false);
  }
  const unsaved = useUnsaved(isOwnTyped || areReadyTyped, discard);

  function closeThanked() {
    // What was typed is sent, or can no longer be.
    flushSync(discard);
    unsaved.finish(onClose);
  }

  return (
    <Dialog title={`${formatMoney(amountCents)} tip`} size="column" onClose={() => unsaved.close(onClose)}>
      <p className={styles.note}>
        {CATEGORY_LABELS[serviceCategory]} · {keptOf(tip)} ·{' '}
        <time dateTime={createdAt}>{shortDateTime(createdAt)}</time>
      </p>
      <div className={styles.parts}>
        <GivenMessage tip={tip} />
        <Thanks tip={tip} onThanked={closeThanked} onOwnChange={setOwnTyped} onReadyChange={setReadyTyped} />
        <Actions tip={tip} />
      </div>
      <LeaveQuestion unsaved={unsaved}>
        <p>
          {[
            isOwnTyped && 'Your thank-you is not sent.',
            areReadyTyped && 'Your thank-yous have changes that are not saved.',
          ]
            .filter(Boolean)
            .join(' ')}
        </p>
      </LeaveQuestion>
    </Dialog>
  );
}

interface Told {
  readonly sentence: string;
  readonly isFailure: boolean;
}

/** A giver without an account cannot be blocked; the code can take no more messages instead. */
function Actions({ tip }: { readonly tip: Transaction }) {
  const [told, setTold] = useState<Told | null>(null);
  const isOpen = useIsOpen();
  const actions = useTipActions(tip, {
    onDone: (sentence) =>
      isOpen.current ? setTold({ sentence, isFailure: false }) : toastSuccess(sentence, 'about-tip'),
    onFailure: (sentence) => (isOpen.current ? setTold({ sentence, isFailure: true }) : toastError(sentence)),
  });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The pressed button is gone then.
    if (tip.reportedAt !== null) focusIfLost(heading.current);
  }, [tip.reportedAt]);
  const offered = actions.filter(({ name }) => name !== 'messages' || tip.giverId === null);
  if (offered.length === 0) return null;
  return (
    <section className={styles.part} aria-labelledby="tip-actions">
      <h3 id="tip-actions" ref={heading} tabIndex={-1}>
        Something wrong?
      </h3>
      {/* The dialog lies over all toasts, and what stands below the buttons is below the fold of a phone. */}
      <p role="status" className={styles.note}>
        {told && !told.isFailure && told.sentence}
      </p>
      {told?.isFailure && (
        <p role="alert" className={styles.failure}>
          {told.sentence}
        </p>
      )}
      <div className={styles.actions}>
        {offered.map(({ name, label, hint, run }) => (
          <div key={name}>
            <Button look="quiet" onClick={run} aria-describedby={hint && `tip-action-${name}`}>
              {label}
            </Button>
            {hint && (
              <p id={`tip-action-${name}`} className={styles.note}>
                {hint}
              </p>
            )}
          </div>
        ))}
      </div>
      <NeedHelp />
    </section>
  );
}

function NeedHelp() {
  const contact = operatorContact();
  return (
    contact && (
      <p>
        Need help? Contact <a href={contact.href}>{contact.text}</a>.
      </p>
    )
  );
}
