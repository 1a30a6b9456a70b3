/** What giver and receiver have written to each other, as far as whoever looks is told. */
import type { Transaction } from '#shared/tips.ts';
import { Quote } from '../ui/later/quote.tsx';
import styles from './receipt.module.css';
import { Time } from './time.tsx';

interface WordsOfReceiptProps {
  readonly transaction: Transaction;
  /** Whether it is the giver who looks, else the receiver. */
  readonly isGiver: boolean;
}

export function WordsOfReceipt({ transaction, isGiver }: WordsOfReceiptProps) {
  const { message, wordsHidden, thankYou, thankedAt, receiverName } = transaction;
  const own = thankedAt === null ? 'The thank-you of your tip page' : 'Your thank-you';
  return (
    // It is there before it says something, because screen readers announce what changes.
    <div className={styles.words} aria-live="polite">
      {message !== null && <Quote text={message}>Message with the tip</Quote>}
      {wordsHidden && <p className={styles.hidden}>Message hidden</p>}
      {thankYou !== null && (
        <Quote text={thankYou}>
          {isGiver ? <bdi>{receiverName}</bdi> : own}
          {thankedAt !== null && (
            <>
              , <Time iso={thankedAt} />
            </>
          )}
        </Quote>
      )}
    </div>
  );
}
