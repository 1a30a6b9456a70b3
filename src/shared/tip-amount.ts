/**
 * Bounds of a tip with the specified sentences. Without schemas, whose library the tip page does not load.
 */
import { type Cents, MAX_TIP_CENTS, MIN_TIP_CENTS, parseDollars } from './money.ts';

export const NO_AMOUNT = 'Please select a tip amount';
export const AMOUNT_OUT_OF_BOUNDS = 'Tip amount must be between $10 and $10,000';
export const AMOUNT_TOO_FINE = 'Amounts have at most two decimals';
export const AMOUNT_UNREADABLE = 'Write the amount like 12.50';

export type AmountReading =
  | { readonly amountCents: Cents; readonly problem: null }
  | {
      readonly amountCents: null;
      readonly problem:
        | typeof NO_AMOUNT
        | typeof AMOUNT_OUT_OF_BOUNDS
        | typeof AMOUNT_TOO_FINE
        | typeof AMOUNT_UNREADABLE;
    };

/** Groups of three digits and decimals as in English, and as in most of Europe; then digits without groups. */
const FORMS = [
  /^(\d{1,3}(?:,\d{3})+)(?:\.(\d*))?$/,
  /^(\d{1,3}(?:\.\d{3})+),(\d*)$/,
  /^(\d+)(?:[.,](\d*))?$/,
];

/**
 * Reads a typed amount: "25", "25.50", "25,50", "$ 25", "1,000", "1,234.56", "1.234,56", "1 234,56". A comma
 * before exactly three digits groups thousands, any other is a decimal comma; a single point is a decimal
 * point.
 */
export function readTipAmount(text: string): AmountReading {
  const plain = text.replace(/[\s$]/g, '');
  if (plain === '') return { amountCents: null, problem: NO_AMOUNT };
  const [, whole, decimals = ''] = FORMS.map((form) => form.exec(plain)).find(Boolean) ?? [];
  if (whole === undefined) return { amountCents: null, problem: AMOUNT_UNREADABLE };
  if (decimals.length > 2) return { amountCents: null, problem: AMOUNT_TOO_FINE };
  const amountCents = parseDollars(`${whole.replace(/[.,]/g, '')}.${decimals}`);
  if (amountCents === null || amountCents < MIN_TIP_CENTS || amountCents > MAX_TIP_CENTS) {
    return { amountCents: null, problem: AMOUNT_OUT_OF_BOUNDS };
  }
  return { amountCents, problem: null };
}
