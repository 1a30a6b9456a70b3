/** Skeletons of tabs, which are shown until their modules and their data have come. */
import type { ReactNode } from 'react';
import type { KeptUser } from '../signed-in/kept-dashboard.ts';
import card from '../ui/card.module.css';
import { Skeleton } from '../ui/states.tsx';
import codes from './codes/qr-codes.module.css';
import list from './transactions/transaction-list.module.css';

interface QrCodesSketchProps {
  readonly user: KeptUser;
  readonly children: ReactNode;
}

export function QrCodesSketch({ user, children }: QrCodesSketchProps) {
  return (
    <div className={codes.tab}>
      <div className={codes.codes}>
        {user.serviceCategories.map((category) => (
          <div key={category} className={codes.sketch}>
            <Skeleton height="card" />
          </div>
        ))}
      </div>
      {children}
    </div>
  );
}

const SKETCHED_ROWS = ['a', 'b', 'c', 'd', 'e'];

export function TransactionsSketch() {
  return (
    <div className={[card.card, list.list].join(' ')}>
      {SKETCHED_ROWS.map((row) => (
        <div key={row} className={list.row}>
          <div className={list.line}>
            <div className={list.what}>
              <Piece />
            </div>
            <div className={list.sum}>
              <Piece />
            </div>
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
