/** Skeletons of tabs, which are shown until their modules and their data have come. */
import type { User } from '#shared/accounts.ts';
import card from '../ui/card.module.css';
import { Skeleton } from '../ui/states.tsx';
import codes from './codes/qr-codes.module.css';
import list from './transactions/transaction-list.module.css';

export function QrCodesSketch({ user }: { readonly user: User }) {
  return (
    <div className={codes.codes}>
      {user.serviceCategories.map((category) => (
        <Skeleton key={category} height="tall" />
      ))}
    </div>
  );
}

const SKETCHED_ROWS = ['a', 'b', 'c', 'd', 'e'];

export function TransactionsSketch() {
  return (
    <div className={[card.card, list.list].join(' ')}>
      {SKETCHED_ROWS.map((row) => (
        <div key={row} className={list.row}>
          <div className={list.what}>
            <Piece />
          </div>
          <div className={list.sum}>
            <Piece />
          </div>
          <div className={list.details}>
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
    <div className={list.piece}>
      <Skeleton height="line" />
    </div>
  );
}
