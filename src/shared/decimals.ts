/** Amounts as plain decimal numbers, read and written by digits, never by floating-point arithmetic. */
import { type Cents, cents, type Terms, terms } from './money.ts';

/**
 * Reads "12", "12.5" or "12.50" by digits.
 * @returns null unless the text is an amount with at most as many decimals as the currency has.
 */
export function parseDecimal(text: string, { exponent }: Pick<Terms, 'exponent'> = terms()): Cents | null {
  const [, whole = '', decimals = ''] = /^(\d{1,12})(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === '' || decimals.length > exponent) return null;
  return cents(Number(whole + decimals.padEnd(exponent, '0')));
}

/**
 * Reads a JSON number, such as `10.5`, by its printed digits.
 * @returns null when it has more decimals than the currency, is negative or is not a number.
 */
export function centsFromDecimal(amount: unknown): Cents | null {
  return typeof amount === 'number' ? parseDecimal(String(amount)) : null;
}

/** A plain number that any program reads, such as `19.40` or `-0.05`. */
export function plainDecimal(amount: Cents, { exponent }: Pick<Terms, 'exponent'> = terms()): string {
  if (exponent === 0) return String(amount);
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}
