/** What is said wherever a sum stands that is no real money. It stands apart, so that a tip page loads no schemas. */
import type { PaymentMode } from './payments.ts';

/** Null for real money. */
export function moneyNote(mode: PaymentMode): string | null {
  return mode === 'live' ? null : `${mode === 'test' ? 'Test' : 'Simulated'} money: no real money moves.`;
}
