import { navigate } from 'wouter/use-browser-location';
import { currentPath, PAYMENT, receiptAt } from '../paths.ts';
import type { Attempt } from './attempt.ts';
import { type Entry, markEntry, presentEntry } from './history-entries.ts';
import type { Receipt } from './tip-flow.ts';

/** The step back that the browser is taking, which is asynchronous; null when there is none. */
let stepBack: Promise<void> | null = null;

export async function enterPayment(figures: string, { key, userId }: Attempt): Promise<void> {
  await stepBack;
  markEntry({ step: 'select-amount', figures });
  const entry: Entry = { step: 'payment', figures, preparedBy: userId, key, isAboveAmount: true };
  navigate(currentPath(), { state: entry });
}

/** Goes from the entry of the payment back to that of the amount, and resolves when the browser is there. */
export async function leavePayment(): Promise<void> {
  const entry = presentEntry();
  if (entry.step !== 'payment') return;
  if (!entry.isAboveAmount) {
    markEntry({ step: 'select-amount', figures: entry.figures });
    return;
  }
  stepBack ??= new Promise((resolve) => {
    const arrived = () => {
      stepBack = null;
      resolve();
    };
    window.addEventListener('popstate', arrived, { once: true });
    history.back();
  });
  await stepBack;
}

/** Replaces the payment by its success, so that Back leads past it. The entry of a demo keeps the receipt. */
export function enterSuccess(receipt: Receipt): void {
  const { transactionId } = receipt;
  // If the giver has gone Back during the payment, Forward must not lead to it again.
  const replace = presentEntry().step === 'payment';
  if (transactionId === null) {
    navigate(currentPath(), { replace, state: { step: 'success', receipt } satisfies Entry });
  } else {
    navigate(receiptAt(window.location.pathname, transactionId), { replace });
  }
}

/** Replaces the entry of the payment by the address that shows its state, so that Back cannot pay once more. */
export function enterReturn(transactionId: string): void {
  navigate(`${window.location.pathname}?${new URLSearchParams({ [PAYMENT]: transactionId })}`, {
    replace: true,
  });
}
