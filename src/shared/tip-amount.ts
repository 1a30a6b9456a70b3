/**
 * Bounds of a tip with the specified sentences. Without schemas, whose library the tip page does not load.
 */
import { type Cents, MAX_TIP_CENTS, MIN_TIP_CENTS, parseDollars } from './money.ts';

export const NO_AMOUNT = 'Please select a tip amount';
export const AMOUNT_OUT_OF_BOUNDS = 'Tip amount must be between $10 and $10,000';
export const AMOUNT_TOO_FINE = 'Amounts have at most two decimals';

export type AmountReading =
  | { readonly amountCents: Cents; readonly problem: null }
  | {
      readonly amountCents: null;
      readonly problem: typeof NO_AMOUNT | typeof AMOUNT_OUT_OF_BOUNDS | typeof AMOUNT_TOO_FINE;
    };

/**
 * Reads a typed amount: "25", "25.50", "25,50", "$ 25", "1,000". A comma before exactly three digits groups
 * thousands, any other is a decimal comma.
 */
export function readTipAmount(text: string): AmountReading {
  const plain = text.replace(/[\s$]/g, '');
  if (plain === '') return { amountCents: null, problem: NO_AMOUNT };
  const ungrouped = /^\d{1,3}(?:,\d{3})+(?:\.\d*)?$/.test(plain)
    ? plain.replaceAll(',', '')
    : plain.replace(',', '.');
  if (/^\d+\.\d{3,}$/.test(ungrouped)) return { amountCents: null, problem: AMOUNT_TOO_FINE };
  const amountCents = parseDollars(ungrouped);
  if (amountCents === null || amountCents < MIN_TIP_CENTS || amountCents > MAX_TIP_CENTS) {
    return { amountCents: null, problem: AMOUNT_OUT_OF_BOUNDS };
  }
  return { amountCents, problem: null };
}
