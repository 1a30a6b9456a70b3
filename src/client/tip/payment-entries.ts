/** The entries of the browser's history around a payment. */
import { navigate } from 'wouter/use-browser-location';
import { currentPath, PAYMENT, receiptAt } from '../paths.ts';
import { type Entry, markEntry, presentEntry } from './history-entries.ts';
import type { Receipt } from './tip-flow.ts';

/** Names this load of the page. */
const LOAD = performance.timeOrigin;

/** The step back that is under way, which takes the browser a moment; null when none is. */
let stepBack: Promise<void> | null = null;

/** Puts the payment above the entry of the amount. */
export async function enterPayment(figures: string): Promise<void> {
  await stepBack;
  markEntry({ step: 'select-amount', figures });
  navigate(currentPath(), { state: { step: 'payment', figures, load: LOAD } satisfies Entry });
}

/**
 * Leaves the entry of the payment, if it is the present one, for that of the amount; resolves when the
 * browser is there.
 */
export async function leavePayment(): Promise<void> {
  const entry = presentEntry();
  if (entry.step !== 'payment') return;
  if (entry.load !== LOAD) {
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

/**
 * Puts the success in place of the payment, so that Back leads past it: at the address of its receipt, or at
 * the demo's own, whose entry keeps the receipt.
 */
export function enterSuccess(receipt: Receipt): void {
  const { transactionId } = receipt;
  // The giver may have gone Back while the payment was under way: then Forward must not lead to it again.
  const replace = presentEntry().step === 'payment';
  if (transactionId === null) {
    navigate(currentPath(), { replace, state: { step: 'success', receipt } satisfies Entry });
  } else {
    navigate(receiptAt(window.location.pathname, transactionId), { replace });
  }
}

/**
 * Puts the address that tells what became of a payment in place of the entry of the payment, or of an amount
 * that must not be paid once more.
 */
export function enterReturn(transactionId: string): void {
  navigate(`${window.location.pathname}?${new URLSearchParams({ [PAYMENT]: transactionId })}`, {
    replace: true,
  });
}
