/** Goes on with a tip that was under way before a login, a reload or a step through the history. */
import { formatUsd } from '#shared/money.ts';
import { readTipAmount } from '#shared/tip-amount.ts';
import { takeWaitingTip } from '../giving/waiting-tip.ts';
import { awaitsLogin, openAttempt, unsettledAttempt } from './attempt.ts';
import { markEntry, presentEntry } from './history-entries.ts';
import { GUEST } from './payer.ts';
import { enterPayment, enterReturn } from './payment-entries.ts';
import type { Provider } from './provider.ts';
import { recallPause } from './recent-pause.ts';
import type { TipEvent } from './tip-flow.ts';

/** Leads to the payment, or restores an amount that cannot be paid; does nothing when there is nothing to go on with. */
export async function continuePayment(
  { qrId, isDemo, closed }: Provider,
  payerId: string,
  dispatch: (event: TipEvent) => void,
): Promise<void> {
  const entry = presentEntry();
  const unsettled = isDemo ? null : unsettledAttempt(qrId, payerId);
  if (unsettled?.transactionId) {
    enterReturn(unsettled.transactionId);
    return;
  }
  if (unsettled?.wasSent) {
    if (entry.step !== 'payment') await enterPayment(formatUsd(unsettled.amountCents));
    dispatch({ type: 'resumed', attempt: unsettled });
    return;
  }
  // A tip that waits goes on waiting until the code takes tips again.
  if (closed) return;
  if (recallPause(qrId)) {
    dispatch({ type: 'failed', interruption: 'paused' });
    return;
  }
  const waiting = takeWaitingTip(qrId);
  if (entry.step === 'success' || (waiting === null && entry.step !== 'payment')) return;
  const { figures } = waiting ?? entry;
  dispatch({ type: 'restored', figures });
  const { amountCents } = readTipAmount(figures);
  if (amountCents === null || (payerId === GUEST && awaitsLogin(qrId))) {
    markEntry({ step: 'select-amount', figures });
    return;
  }
  // After a login the entry below is that of the tip page which led to it.
  if (waiting !== null) markEntry({ step: 'payment', figures, load: null });
  // Whoever logs in elsewhere while they are about to pay as a guest pays under their account.
  dispatch({ type: 'amount-changed' });
  dispatch({ type: 'proceeded', attempt: openAttempt(qrId, payerId, amountCents) });
}
