/** Shows the tip that waits while its giver logs in. The slip keeps its height while the script reads the tip. */
import { useEffect, useSyncExternalStore } from 'react';
import { useSearch } from 'wouter';
import { readQrCodeId } from '#shared/ids.ts';
import { readTipAmount } from '#shared/tip-amount.ts';
import { keepTip, takeWaitingTip, tipIn, waitingTip } from '../giving/waiting-tip.ts';
import { presentSession } from '../session/session.ts';
import { registrationMode } from '../ui/later/registration-mode.ts';
import { Money } from '../ui/money.tsx';
import { SimulatedMoney } from '../ui/simulated-money.tsx';
import styles from './waiting-tip-slip.module.css';

export function WaitingTipSlip({ qrId }: { readonly qrId: string }) {
  const isTakenOver = useTakenOver();
  // The tip is stored under the code's own spelling, not under that of the address.
  const id = readQrCodeId(qrId) ?? qrId;
  const tip = isTakenOver ? (waitingTip(id) ?? tipIn(history.state)) : null;
  const amountCents = tip && readTipAmount(tip.figures).amountCents;
  const hasTip = tip !== null;
  const search = useSearch();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab of the form takes the place of this entry
  useEffect(() => {
    if (tip === null) return;
    keepTip(id, tip);
    // Whoever goes Back takes the waiting tip away, and Forward leads here again.
    history.replaceState(tip, '');
  }, [id, hasTip, search]);
  useEffect(() => {
    // Whoever leaves without a login chooses anew.
    return () => void (presentSession().status === 'signed-out' && takeWaitingTip(id));
  }, [id]);
  const entering = registrationMode() === 'open' ? 'Log in or sign up' : 'Log in';
  return (
    <div className={styles.waiting}>
      <p className={styles.slip}>
        <strong className={styles.what} data-money={amountCents !== null}>
          {amountCents === null ? 'Your tip' : <Money amountCents={amountCents} />}
        </strong>{' '}
        <span className={styles.whose}>
          {tip === null ? (
            'comes next'
          ) : (
            <span>
              to <bdi className={styles.receiver}>{tip.receiver}</bdi> is waiting
            </span>
          )}
        </span>
      </p>
      <p>
        {amountCents === null
          ? `${entering}, and you go straight back to your tip.`
          : `${entering}, and you go straight to payment.`}
      </p>
      <SimulatedMoney />
    </div>
  );
}

/** False in the HTML that the server rendered, until the script has hydrated it. */
function useTakenOver(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
}
