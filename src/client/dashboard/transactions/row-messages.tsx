/** What giver and receiver wrote about a tip, below its row. Words are text only: nothing in them becomes a link. */
import type { Transaction } from '#shared/tips.ts';
import styles from './row-messages.module.css';

interface RowWordsProps {
  readonly transaction: Transaction;
  readonly isReceived: boolean;
}

export function RowWords({ transaction, isReceived }: RowWordsProps) {
  const { message, giverName, wordsHidden, reportedAt, thankYou, thankedAt, receiverName } = transaction;
  const notes = [wordsHidden && 'Message hidden', reportedAt !== null && 'Reported'].filter(Boolean);
  // What the tip page tells everybody is no answer to this tip.
  const answer = thankedAt === null ? null : thankYou;
  if (message === null && giverName === null && notes.length === 0 && answer === null) return null;
  return (
    <div className={styles.words}>
      {giverName !== null && (
        <p className={styles.from}>
          From <bdi>{giverName}</bdi>
        </p>
      )}
      {message !== null && (
        <p dir="auto" className={styles.message}>
          {message}
        </p>
      )}
      {notes.length > 0 && <p className={styles.note}>{notes.join(' · ')}</p>}
      {answer !== null && (
        <p className={styles.answer}>
          {isReceived ? 'You said' : <bdi>{receiverName}</bdi>}: <bdi>{answer}</bdi>
        </p>
      )}
    </div>
  );
}
