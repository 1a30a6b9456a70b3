/** Offers a giver who comes back the amount of their last tip by this code. */
import { useEffect, useState } from 'react';
import { readQrCodeId } from '#shared/ids.ts';
import { type Cents, formatUsd } from '#shared/money.ts';
import { call } from '../calls.ts';
import { Button } from '../ui/button.tsx';
import type { Provider } from './provider.ts';
import styles from './same-again.module.css';

/** In tips: an earlier one is looked for among the newest of this service. */
const LOOKED_THROUGH = 20;

interface SameAgainProps {
  readonly provider: Provider;
  readonly onGive: (figures: string) => Promise<void>;
}

export function SameAgain({ provider: { qrId, serviceCategory }, onGive }: SameAgainProps) {
  const [amountCents, setAmount] = useState<Cents | null>(null);
  useEffect(() => {
    let isWanted = true;
    const sent = { direction: 'sent', serviceCategory, limit: LOOKED_THROUGH } as const;
    // Nothing is offered when the call fails.
    void call((api) => api.transactions.list.query(sent)).then((outcome) => {
      if (outcome.failure) return;
      const { transactions } = outcome.answer;
      const last = transactions.find(({ qrCodeId }) => qrCodeId === readQrCodeId(qrId));
      if (isWanted && last?.status === 'completed') setAmount(last.amountCents);
    });
    return () => {
      isWanted = false;
    };
  }, [qrId, serviceCategory]);
  if (amountCents === null) return null;
  const figures = formatUsd(amountCents);
  return (
    <Button look="quiet" className={styles.again} onClick={() => void onGive(figures)}>
      Tip {figures.replace('.00', '')} again
    </Button>
  );
}
