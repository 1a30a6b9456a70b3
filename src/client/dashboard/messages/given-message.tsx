/** The message and the name of a giver, which the receiver can hide and report. */
import { useEffect, useRef } from 'react';
import type { Transaction } from '#shared/tips.ts';
import { trpc } from '../../signed-in/api-hooks.ts';
import { Button } from '../../ui/button.tsx';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { focusIfLost, useQuestion } from '../question.ts';
import { shortDateTime } from '../short-date-time.ts';
import { useFailure, useShowTip } from './message-changes.ts';
import styles from './messages.module.css';

export function GivenMessage({ tip }: { readonly tip: Transaction }) {
  const { message, giverName, wordsHidden, reportedAt } = tip;
  const { failure, isUnderWay, hide, report } = useMessageOf(tip);
  const heading = useRef<HTMLHeadingElement>(null);
  const question = useQuestion<Transaction>(heading);
  useEffect(() => {
    // The pressed button is gone then.
    if (reportedAt !== null) focusIfLost(heading.current);
  }, [reportedAt]);
  if (message === null && giverName === null && !wordsHidden) return null;
  // Nobody is told whether what is hidden has a message.
  const what = message === null && !wordsHidden ? 'Name' : 'Message';

  return (
    <section className={styles.part} aria-labelledby="given-words">
      <h3 id="given-words" ref={heading} tabIndex={-1}>
        {giverName === null ? 'From the giver' : <FromGiver name={giverName} />}
      </h3>
      {message !== null && (
        <p dir="auto" className={styles.quote}>
          {message}
        </p>
      )}
      <div role="status" className={styles.note}>
        {wordsHidden && <p>Message hidden</p>}
        {reportedAt !== null && (
          <p>
            Reported <time dateTime={reportedAt}>{shortDateTime(reportedAt)}</time>
          </p>
        )}
      </div>
      {failure !== null && (
        <p role="alert" className={styles.failure}>
          {failure}
        </p>
      )}
      <div className={styles.actions}>
        <Button look="quiet" aria-disabled={isUnderWay} onClick={() => isUnderWay || hide(!wordsHidden)}>
          {wordsHidden ? 'Show' : 'Hide'} {what}
        </Button>
        {reportedAt === null && (
          <Button look="quiet" aria-disabled={isUnderWay} onClick={() => question.ask(tip)}>
            Report
          </Button>
        )}
      </div>
      {question.asked && (
        <Confirmation
          title={`Report this ${what.toLowerCase()}?`}
          confirm={isUnderWay ? 'Reporting...' : 'Report'}
          isUnderWay={isUnderWay}
          onConfirm={() => report(question.close)}
          onCancel={question.close}
        >
          <p>
            Whoever runs this site will see the message, your name and the giver's account. It is hidden here
            as well.
          </p>
        </Confirmation>
      )}
    </section>
  );
}

function useMessageOf({ id }: Transaction) {
  const show = useShowTip();
  const { failure, forget, tell } = useFailure();
  const hiding = trpc.messages.hide.useMutation({
    onMutate: forget,
    onSuccess: show,
    onError: (error) => tell(error, 'The message could not be changed. Please try again.'),
  });
  const reporting = trpc.messages.report.useMutation({
    onMutate: forget,
    onSuccess: show,
    onError: (error) => tell(error, 'The message could not be reported. Please try again.'),
  });
  return {
    failure,
    isUnderWay: hiding.isPending || reporting.isPending,
    hide: (hidden: boolean) => hiding.mutate({ id, hidden }),
    report: (onSettled: () => void) => reporting.mutate({ id }, { onSettled }),
  };
}

function FromGiver({ name }: { readonly name: string }) {
  return (
    <>
      From <bdi>{name}</bdi>
    </>
  );
}
