/** What a giver wrote, and what its receiver can do about it. */
import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Transaction } from '#shared/tips.ts';
import { Button } from '../../ui/button.tsx';
import { Confirmation } from '../../ui/later/confirmation.tsx';
import { shortDateTime } from '../short-date-time.ts';
import { useWordsOf } from './message-changes.ts';
import styles from './messages.module.css';

export function GivenWords({ tip }: { readonly tip: Transaction }) {
  const { message, giverName, wordsHidden, reportedAt } = tip;
  const { failure, isUnderWay, hide, report } = useWordsOf(tip);
  const [isAsking, setAsking] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The pressed button is gone with what was reported.
    if (reportedAt !== null && document.activeElement === document.body) heading.current?.focus();
  }, [reportedAt]);
  if (message === null && giverName === null && !wordsHidden) return null;
  // Of what is hidden nobody is told whether it has a message.
  const what = message === null && !wordsHidden ? 'Name' : 'Message';

  function leave() {
    // Nothing behind an open dialog takes the focus.
    flushSync(() => setAsking(false));
    if (document.activeElement === document.body) heading.current?.focus();
  }

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
          <Button look="quiet" aria-disabled={isUnderWay} onClick={() => setAsking(true)}>
            Report
          </Button>
        )}
      </div>
      {isAsking && (
        <Confirmation
          title={`Report this ${what.toLowerCase()}?`}
          confirm={isUnderWay ? 'Reporting...' : 'Report'}
          isUnderWay={isUnderWay}
          onConfirm={() => report(leave)}
          onCancel={leave}
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

function FromGiver({ name }: { readonly name: string }) {
  return (
    <>
      From <bdi>{name}</bdi>
    </>
  );
}
