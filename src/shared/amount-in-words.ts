/** Amounts in words, as on a cheque, because a sum read twice is rarely a slip of the finger. */
import { type Cents, cents, formatMoney, SHORT, terms } from './money.ts';

export const NAMED: Intl.NumberFormatOptions = { ...SHORT, currencyDisplay: 'name' };

const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** The name of the currency, such as `US dollars`. */
export function currencyName(): string {
  return formatMoney(cents(0), NAMED).replace(/^\S+\s/, '');
}

/** Spells an amount below a million dollars: "ten dollars and one cent". Other currencies: "500 euros". */
export function amountInWords(amount: Cents): string {
  if (terms().currency !== 'USD') return formatMoney(amount, NAMED);
  const dollars = Math.floor(amount / 100);
  const rest = amount % 100;
  const whole = `${inWords(dollars)} ${dollars === 1 ? 'dollar' : 'dollars'}`;
  return rest === 0 ? whole : `${whole} and ${inWords(rest)} ${rest === 1 ? 'cent' : 'cents'}`;
}

function inWords(count: number): string {
  if (count >= 1_000) return group(count, 1_000, 'thousand');
  if (count >= 100) return group(count, 100, 'hundred');
  if (count < 20) return UNITS[count] ?? '';
  const tens = TENS[Math.floor(count / 10) - 2] ?? '';
  return count % 10 === 0 ? tens : `${tens}-${UNITS[count % 10]}`;
}

function group(count: number, size: number, name: string): string {
  const head = `${inWords(Math.floor(count / size))} ${name}`;
  return count % size === 0 ? head : `${head} ${inWords(count % size)}`;
}
