/** What was written with a tip: the name and the message of its giver. */
import type { Transaction } from '#shared/tips.ts';
import { shortDateTime } from '../../signed-in/short-date-time.ts';
import styles from './messages.module.css';

export function GivenMessage({ tip }: { readonly tip: Transaction }) {
  const { message, giverName, wordsHidden, reportedAt } = tip;
  if (message === null && giverName === null && !wordsHidden) return null;
  return (
    <section className={styles.part} aria-labelledby="given-message">
      <h3 id="given-message">{giverName === null ? 'From the customer' : <FromGiver name={giverName} />}</h3>
      {message !== null && (
        <p dir="auto" className={styles.quote}>
          {message}
        </p>
      )}
      {wordsHidden && <p className={styles.note}>Message hidden</p>}
      {reportedAt !== null && (
        <p className={styles.note}>
          Reported <time dateTime={reportedAt}>{shortDateTime(reportedAt)}</time>
        </p>
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
