/** Asks why before an act, and for the second factor when the server wants it again, and then repeats the act. */
import { type ReactNode, type SubmitEvent, useState } from 'react';
import { flushSync } from 'react-dom';
import { MAX_REASON_LENGTH } from '#shared/console/acts.ts';
import { Button } from '../ui/button.tsx';
import confirmation from '../ui/later/confirmation.module.css';
import { Dialog } from '../ui/later/dialog.tsx';
import { TextArea } from '../ui/later/text-area.tsx';
import { LeaveQuestion, useUnsaved } from '../ui/later/unsaved.tsx';
import { failureOf, queryClient } from './console-api.ts';
import { FactorQuestion } from './factor-question.tsx';
import { rememberFocus } from './near-focus.ts';

interface ActDialogProps<Result> {
  readonly title: string;
  readonly children?: ReactNode;
  readonly confirm: string;
  /** True for what moves money. */
  readonly isMoney?: boolean;
  /** Calls the server; it may be called again with the same reason. */
  readonly act: (reason: string) => Promise<Result>;
  readonly onDone: (result: Result) => void;
  readonly onClose: () => void;
}

const NO_ANSWER =
  'There was no answer, so we don’t know whether it was done. Cancel, and see what is shown before you try again.';

interface LastAttempt {
  /** The reason that was tried: leaving without it asks nothing. */
  readonly reason: string;
  readonly failure?: string | undefined;
  /** Whether no answer came: the act may have been done. */
  readonly isUnanswered: boolean;
}

/** An act changes more than the part that it was done in, such as the audit log. */
function forgetShown(): void {
  void queryClient.invalidateQueries();
}

export function ActDialog<Result>(props: ActDialogProps<Result>) {
  const { title, children, confirm, isMoney = false, act, onDone } = props;
  const [reason, setReason] = useState('');
  const [stage, setStage] = useState<'writing' | 'underWay' | 'factor'>('writing');
  const [last, setLast] = useState<LastAttempt>({ reason: '', isUnanswered: false });
  const [keepFocus] = useState(rememberFocus);
  const isUnderWay = stage === 'underWay';
  const unsaved = useUnsaved(!isUnderWay && reason.trim() !== '' && reason !== last.reason, () =>
    setReason(''),
  );
  const awaited = useUnsaved(isUnderWay, props.onClose);

  async function run() {
    if (isUnderWay) return;
    if (reason.trim() === '') return setLast({ ...last, failure: 'Say why.' });
    setStage('underWay');
    setLast({ ...last, failure: undefined });
    try {
      const result = await act(reason);
      awaited.finish(() => onDone(result));
      forgetShown();
    } catch (error) {
      const { code, detail } = failureOf(error);
      if (code === 'factor_needed') return setStage('factor');
      setLast({ reason, failure: code === null ? NO_ANSWER : detail, isUnanswered: code === null });
      // Refused acts are mostly those that somebody else was faster with.
      if (code !== null) forgetShown();
    }
    setStage('writing');
  }

  function close() {
    flushSync(props.onClose);
    // Loading anew would fail without an answer, too, and take the question away from under its reader.
    if (last.isUnanswered) forgetShown();
    // Where somebody else was faster, the pressed button has gone.
    keepFocus();
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    void run();
  }

  const discarding = (
    <LeaveQuestion unsaved={unsaved}>
      <p>
        {last.isUnanswered ? 'Your reason is lost then.' : 'Your reason is lost then, and nothing is done.'}
      </p>
    </LeaveQuestion>
  );
  if (stage === 'factor') {
    return (
      <>
        <FactorQuestion
          onProved={() => void run()}
          // The reason stays.
          onClose={() => setStage('writing')}
        />
        {discarding}
      </>
    );
  }
  return (
    <Dialog title={title} size="question" onClose={() => isUnderWay || unsaved.close(close)}>
      {children}
      <form noValidate onSubmit={submit}>
        <TextArea
          label="Reason"
          hint="It goes into the audit log. Leave out names and emails."
          name="reason"
          rows={2}
          maxLength={MAX_REASON_LENGTH}
          required
          value={reason}
          readOnly={isUnderWay}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
          error={last.failure}
        />
        <div className={confirmation.answers}>
          <Button type="submit" look={isMoney ? 'money' : 'primary'} aria-disabled={isUnderWay}>
            {isUnderWay ? 'One moment...' : confirm}
          </Button>
          <Button look="quiet" aria-disabled={isUnderWay} onClick={() => isUnderWay || close()}>
            Cancel
          </Button>
        </div>
      </form>
      {discarding}
      <LeaveQuestion unsaved={awaited} instead={{ title: 'Leave before the answer?', stay: 'Wait' }}>
        <p>It may be done, and what the answer brings, such as a link, is shown once.</p>
      </LeaveQuestion>
    </Dialog>
  );
}
