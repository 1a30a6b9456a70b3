/** The skeleton of the list of transactions while it loads. */
import card from '../../ui/card.module.css';
import { Skeleton } from '../../ui/states.tsx';
import styles from './transaction-list.module.css';

const SKETCHED_ROWS = ['a', 'b', 'c', 'd', 'e'];

export function TransactionsSketch() {
  return (
    <div className={[card.card, styles.list].join(' ')}>
      {SKETCHED_ROWS.map((row) => (
        <div key={row} className={styles.row}>
          <div className={styles.what}>
            <Piece />
          </div>
          <div className={styles.sum}>
            <Piece />
          </div>
          <div className={styles.details}>
            <Piece />
            <Piece />
          </div>
        </div>
      ))}
    </div>
  );
}

function Piece() {
  return (
    <div className={styles.piece}>
      <Skeleton height="line" />
    </div>
  );
}
