/** Amounts as plain decimal numbers, read and written by digits, never by floating-point arithmetic. */
import { type Cents, cents, type Terms, terms } from './money.ts';

/** @returns null unless the text is a number such as "12.50" with at most as many decimals as the currency has. */
export function parseDecimal(text: string, { exponent }: Pick<Terms, 'exponent'> = terms()): Cents | null {
  const [, whole = '', decimals = ''] = /^(\d{1,12})(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === '' || decimals.length > exponent) return null;
  return cents(Number(whole + decimals.padEnd(exponent, '0')));
}

/** Reads a JSON number by its printed digits; null for any other value, a negative one, and too many decimals. */
export function centsFromDecimal(amount: unknown): Cents | null {
  return typeof amount === 'number' ? parseDecimal(String(amount)) : null;
}

/** A plain number that any program reads, such as `19.40` or `-0.05`. */
export function plainDecimal(amount: Cents, { exponent }: Pick<Terms, 'exponent'> = terms()): string {
  if (exponent === 0) return String(amount);
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}
