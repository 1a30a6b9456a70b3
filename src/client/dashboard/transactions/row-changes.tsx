/** What became of the money of a tip, in its row. */
import type { Transaction } from '#shared/tips.ts';
import { chargeSentence, labelOf, sentenceOf } from '../../ui/later/tip-changes.ts';
import { shortDateTime } from '../short-date-time.ts';
import styles from './transaction-row.module.css';

interface RowChangesProps {
  readonly transaction: Transaction;
  readonly isReceived: boolean;
}

export function RowChanges({ transaction, isReceived }: RowChangesProps) {
  const { changes } = transaction;
  const charge = chargeSentence(transaction, !isReceived);
  const label = labelOf(transaction);
  return (
    <div className={styles.changes}>
      {/* The mark of an arriving tip stands beside its service. */}
      {label !== null && label !== 'Arriving' && <strong>{label}</strong>}
      {charge !== null && <p>{charge}</p>}
      {changes.map((change) => (
        <p key={`${change.kind} ${change.at}`}>
          <time dateTime={change.at}>{shortDateTime(change.at)}</time>: {sentenceOf(change, !isReceived)}
        </p>
      ))}
    </div>
  );
}
