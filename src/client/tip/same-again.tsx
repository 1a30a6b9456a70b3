/** Offers a giver who comes back the amount of their last tip by this code, with the thank-you that it got. */
import { useEffect, useState } from 'react';
import { readQrCodeId } from '#shared/ids.ts';
import { formatMoney, SHORT } from '#shared/money.ts';
import { isWithinBounds } from '#shared/tip-amount.ts';
import { isKept } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import { call } from '../calls.ts';
import { Button } from '../ui/button.tsx';
import type { Provider } from './provider.ts';
import styles from './same-again.module.css';

/** An earlier tip is looked for among so many of the newest of this service. */
const LOOKED_THROUGH = 20;

interface SameAgainProps {
  readonly provider: Provider;
  readonly onGive: (figures: string) => Promise<void>;
}

export function SameAgain({ provider: { qrId, serviceCategory }, onGive }: SameAgainProps) {
  const [last, setLast] = useState<Pick<Transaction, 'amountCents' | 'thankYou'> | null>(null);
  useEffect(() => {
    let isWanted = true;
    const sent = { direction: 'sent', serviceCategory, limit: LOOKED_THROUGH } as const;
    // Nothing is offered when the call fails.
    void call((api) => api.transactions.list.query(sent)).then((outcome) => {
      if (outcome.failure) return;
      const { transactions } = outcome.answer;
      const newest = transactions.find(({ qrCodeId }) => qrCodeId === readQrCodeId(qrId));
      if (isWanted && newest && isKept(newest)) setLast(newest);
    });
    return () => {
      isWanted = false;
    };
  }, [qrId, serviceCategory]);
  if (last === null || !isWithinBounds(last.amountCents)) return null;
  const figures = formatMoney(last.amountCents);
  return (
    <Button look="quiet" className={styles.again} onClick={() => void onGive(figures)}>
      <span>Tip {formatMoney(last.amountCents, SHORT)} Again</span>
      {last.thankYou !== null && (
        <q className={styles.thanks} dir="auto">
          {last.thankYou}
        </q>
      )}
    </Button>
  );
}
