/** Bounds of a tip with the specified sentences. Without schemas, whose library the tip page does not load. */
import { type Cents, cents, formatMoney, SHORT, terms } from './money.ts';

export const NO_AMOUNT = 'Please select a tip amount';

export function amountOutOfBounds(): string {
  return `Tip amount must be between ${bounds('and')}`;
}

/** The bounds of a tip, such as `$10 to $10,000`. */
export function bounds(between: 'to' | 'and'): string {
  const { minTipCents, maxTipCents } = terms();
  return `${formatMoney(minTipCents, SHORT)} ${between} ${formatMoney(maxTipCents, SHORT)}`;
}

export function amountTooFine(): string {
  return `Amounts have ${['no', '', 'at most two', 'at most three'][terms().exponent]} decimals`;
}

export function isWithinBounds(amount: number): boolean {
  return amount >= terms().minTipCents && amount <= terms().maxTipCents;
}

export type AmountReading =
  | { readonly amountCents: Cents; readonly problem: null }
  | { readonly amountCents: null; readonly problem: string };

/** Groups of three digits and decimals as in English, and as in most of Europe; then digits without groups. */
const FORMS = [
  /^(\d{1,3}(?:,\d{3})+)(?:\.(\d*))?$/,
  /^(\d{1,3}(?:\.\d{3})+),(\d*)$/,
  /^(\d+)(?:[.,](\d*))?$/,
];

/** The digits of Arabic, Persian and Japanese keyboards; the last four bits are the value. */
const OTHER_DIGITS = /[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g;

/**
 * Reads a typed amount: "$ 25", "25,50", "1,234.56", "1.234,56", "1 234,56". A comma before exactly three digits groups
 * thousands, any other is a decimal comma; a single point is a decimal point.
 */
export function readTipAmount(text: string): AmountReading {
  const unit = formatMoney(cents(0), SHORT) + terms().currency;
  const plain = text
    .replace(OTHER_DIGITS, (digit) => `${digit.charCodeAt(0) & 15}`)
    .replace(/[\u066b\uff0e]/g, '.')
    .replace(/[\u066c\uff0c]/g, ',')
    // Invisible marks of direction come with pasted amounts.
    .replace(/\D/g, (sign) => (/[\s\p{Cf}]/u.test(sign) || unit.includes(sign) ? '' : sign));
  if (plain === '') return { amountCents: null, problem: NO_AMOUNT };
  const [, whole, decimals = ''] = FORMS.map((form) => form.exec(plain)).find(Boolean) ?? [];
  if (whole === undefined)
    return { amountCents: null, problem: `Write the amount like ${(12.5).toFixed(terms().exponent)}` };
  if (decimals.length > terms().exponent) return { amountCents: null, problem: amountTooFine() };
  const amount = Number(whole.replace(/[.,]/g, '') + decimals.padEnd(terms().exponent, '0'));
  return isWithinBounds(amount)
    ? { amountCents: cents(amount), problem: null }
    : { amountCents: null, problem: amountOutOfBounds() };
}
