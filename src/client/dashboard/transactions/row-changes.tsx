/** What became of the money of a tip, in its row. */
import type { Transaction } from '#shared/tips.ts';
import { shortDateTime } from '../../signed-in/short-date-time.ts';
import { chargeSentence, labelOf, toldChanges } from '../../ui/later/tip-changes.ts';
import styles from './transaction-row.module.css';

interface RowChangesProps {
  readonly transaction: Transaction;
  readonly isReceived: boolean;
}

export function RowChanges({ transaction, isReceived }: RowChangesProps) {
  const charge = chargeSentence(transaction, !isReceived);
  const label = labelOf(transaction, !isReceived);
  return (
    <div className={styles.changes}>
      {charge !== null && (
        <p>
          {/* The mark of an arriving tip stands beside its service. */}
          {label !== null && label !== 'Arriving' && <strong>{label}: </strong>}
          {charge}
        </p>
      )}
      {toldChanges(transaction, !isReceived).map(({ key, at, label: name, sentence }) => (
        <p key={key}>
          <strong>{name}</strong> <time dateTime={at}>{shortDateTime(at)}</time>: {sentence}
        </p>
      ))}
    </div>
  );
}
