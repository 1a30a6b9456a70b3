/** Thanks the giver of a tip, once: by a ready thank-you, or by a text of one's own. */
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { isKept } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import { api, failureOf, unanswered } from '../../api-client/api.ts';
import { useAttempts } from '../../controls/attempts.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { toastError, toastSuccess } from '../../toasts.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/later/text-area.tsx';
import { useTellUnsaved } from '../../ui/later/unsaved.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { useIsOpen } from '../is-open.ts';
import { focusIfLost } from '../question.ts';
import { useShowTip } from './message-changes.ts';
import styles from './messages.module.css';
import { counted, PROPOSED, useReadyThankYous } from './thank-yous.ts';
import { ThankYousForm } from './thank-yous-form.tsx';

const NO_ANSWER = unanswered('the thank-you was sent');

interface ThanksProps {
  readonly tip: Transaction;
  readonly onThanked: () => void;
  /** Told whether a text of one's own is typed that is not sent. */
  readonly onOwnChange: (isUnsaved: boolean) => void;
  /** Told whether the ready thank-yous have changes. */
  readonly onReadyChange: (isUnsaved: boolean) => void;
}

export function Thanks(props: ThanksProps) {
  const { tip } = props;
  const { thankYou, thankedAt } = tip;
  /** Shown in the dialog, because it lies over all toasts; also when another device was faster. */
  const [failure, setFailure] = useState<string | null>(null);
  const [isChanging, setChanging] = useState(false);
  const said = useRef<HTMLHeadingElement>(null);
  const isThanked = thankedAt !== null;
  useEffect(() => {
    // The form is gone with what had the focus.
    if (isThanked && failure !== null) focusIfLost(said.current);
  }, [isThanked, failure]);

  function showChanging(isShown: boolean) {
    flushSync(() => setChanging(isShown));
    focusIfLost(said.current);
  }

  // The ready thank-yous are of no tip: their changes outlast what becomes of it.
  if (!isThanked && !isKept(tip) && !isChanging) return null;
  return (
    <section className={styles.part} aria-labelledby="thanks">
      {!isThanked || isChanging ? (
        <SayThanks
          {...props}
          isChanging={isChanging}
          onChangingChange={showChanging}
          failure={failure}
          onFailure={setFailure}
        />
      ) : (
        <>
          <Failed failure={failure} />
          <h3 id="thanks" ref={said} tabIndex={-1}>
            You said
          </h3>
          <p dir="auto" className={styles.quote}>
            {thankYou}
          </p>
        </>
      )}
    </section>
  );
}

function Failed({ failure }: { readonly failure: string | null }) {
  return failure === null ? null : (
    <p role="alert" className={styles.failure}>
      {failure}
    </p>
  );
}

interface SayThanksProps extends ThanksProps {
  readonly isChanging: boolean;
  readonly onChangingChange: (isChanging: boolean) => void;
  readonly failure: string | null;
  readonly onFailure: (sentence: string | null) => void;
}

function SayThanks(props: SayThanksProps) {
  const { tip, failure, isChanging, onChangingChange, onThanked, onFailure, onOwnChange, onReadyChange } =
    props;
  const [own, setOwn] = useState('');
  useTellUnsaved(own.trim() !== '', onOwnChange);
  const [ownError, setOwnError] = useState<string>();
  const attempts = useAttempts();
  const utils = trpc.useUtils();
  const show = useShowTip();
  const field = useRef<HTMLFormElement>(null);
  const isOpen = useIsOpen();

  /** @param isOwn whether the text stands in the field, which shows its error. */
  async function thank(text: string, isOwn: boolean) {
    onFailure(null);
    setOwnError(undefined);
    try {
      show(await api.messages.thank.mutate({ id: tip.id, text }));
      toastSuccess('Thank-you sent');
      if (isOpen.current) onThanked();
    } catch (error) {
      const { code, detail, fieldErrors } = failureOf(error);
      const [wrong] = fieldErrors;
      if (!isOpen.current) toastError(wrong?.message ?? detail ?? NO_ANSWER);
      else if (isOwn && wrong !== undefined) {
        setOwnError(wrong.message);
        field.current?.querySelector('textarea')?.focus();
        return;
      }
      onFailure(detail ?? NO_ANSWER);
      if (code === 'thanked_already' || detail === null) void utils.transactions.invalidate();
    }
  }

  function send(event: SubmitEvent) {
    event.preventDefault();
    void attempts.run(() => thank(own, true));
  }

  return (
    <>
      <h3 id="thanks">Say thank you</h3>
      <p className={styles.note}>You can thank once per tip. They see it right away, and on their receipt.</p>
      <Ready
        isUnderWay={attempts.isUnderWay}
        isChanging={isChanging}
        onChangingChange={onChangingChange}
        onChosen={(text) => void attempts.run(() => thank(text, false))}
        onUnsavedChange={onReadyChange}
      />
      <Failed failure={failure} />
      {/* Thanks close the dialog, and would lose the changes. */}
      {!isChanging && (
        <form ref={field} className={styles.form} method="dialog" noValidate onSubmit={send}>
          <TextArea
            label="In your own words"
            hint={counted(own)}
            rows={2}
            dir="auto"
            autoComplete="off"
            value={own}
            readOnly={attempts.isUnderWay}
            onChange={({ target }) => setOwn(target.value)}
            error={ownError}
          />
          <Button type="submit" look="quiet" className={styles.send} aria-disabled={attempts.isUnderWay}>
            {attempts.isUnderWay ? 'Sending...' : 'Send'}
          </Button>
        </form>
      )}
    </>
  );
}

interface ReadyProps {
  readonly isUnderWay: boolean;
  readonly isChanging: boolean;
  readonly onChangingChange: (isChanging: boolean) => void;
  readonly onChosen: (text: string) => void;
  readonly onUnsavedChange: (isUnsaved: boolean) => void;
}

function Ready(props: ReadyProps) {
  const { isUnderWay, isChanging, onChangingChange, onChosen, onUnsavedChange } = props;
  const { texts } = useReadyThankYous();
  const change = useRef<HTMLButtonElement>(null);

  function leave() {
    onChangingChange(false);
    change.current?.focus();
  }

  if (texts.status === 'loading') return <Skeleton height="tall" />;
  const ready = texts.status === 'ready' ? texts.data : PROPOSED;
  if (isChanging)
    return (
      <ThankYousForm
        texts={ready}
        isOpened
        onUnsavedChange={onUnsavedChange}
        onSaved={leave}
        onCancel={leave}
      />
    );
  return (
    <>
      <ul className={styles.ready}>
        {[...new Set(ready)].map((text) => (
          <li key={text}>
            <Button
              look="quiet"
              dir="auto"
              aria-disabled={isUnderWay}
              onClick={() => isUnderWay || onChosen(text)}
            >
              {text}
            </Button>
          </li>
        ))}
      </ul>
      {texts.status === 'ready' && (
        <button
          ref={change}
          type="button"
          className={styles.rare}
          aria-disabled={isUnderWay}
          onClick={() => isUnderWay || onChangingChange(true)}
        >
          Change These Thank-yous
        </button>
      )}
    </>
  );
}
