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

/** As many as the exponent of the currency says. */
export function decimalsInWords(): string {
  return ['no', '', 'at most two', 'at most three'][terms().exponent] ?? '';
}

export function amountTooFine(): string {
  return `Amounts have ${decimalsInWords()} decimals`;
}

export function isWithinBounds(amount: number): boolean {
  return amount >= terms().minTipCents && amount <= terms().maxTipCents;
}

export type AmountReading =
  | { readonly amountCents: Cents; readonly problem: null }
  | { readonly amountCents: null; readonly problem: string };

/** Groups of three digits with decimals as in English and in Switzerland, and as in most of Europe; then no groups. */
const FORMS = [
  /^(\d{1,3}(?:[,'’\s]\d{3})+)(?:\.(\d*))?$/,
  /^(\d{1,3}(?:[.\s]\d{3})+),(\d*)$/,
  /^(\d+)(?:[.,](\d*))?$/,
];

/** Groups of three digits after points, which nothing else can be where a currency has no decimals. */
const ONLY_GROUPS = /^([1-9]\d{0,2}(?:\.\d{3})+)$/;

/** The digits of Arabic, Persian and Japanese keyboards; the last four bits are the value. */
const OTHER_DIGITS = /[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g;

/** Thousands to some, and to others a number of which three decimals are written. */
const IN_DOUBT = /^[1-9]\d{0,2}[.,]\d{3}$/;

/**
 * What a number such as "1,500" and "1.500" may mean in a currency of three decimals; null when it means one thing, or
 * nothing that is a tip. A point is mostly the page's own way to write decimals, a comma belongs to one half of the
 * world.
 */
function doubtAbout(plain: string): string | null {
  if (terms().exponent !== 3 || !IN_DOUBT.test(plain)) return null;
  const digits = Number(plain.replace(/[.,]/, ''));
  const meanings = [digits, digits * 1_000];
  const possible = meanings.filter(isWithinBounds).length;
  if (possible < (plain.includes(',') ? 1 : 2)) return null;
  return `Write ${meanings.map((amount) => formatMoney(cents(amount))).join(' or ')}, as you mean it`;
}

/**
 * Reads a typed amount: "$ 25", "25,50", "1,234.56", "1.234,56", "1’234.56", "1 234,56". A comma before exactly three
 * digits groups thousands, any other is a decimal comma; a single point is a decimal point, but for currencies without
 * decimals; a space between digits only groups thousands, because "25 50" is no 2,550. Where that is in doubt, and no
 * currency stands beside it as this page writes it, the giver is asked.
 */
export function readTipAmount(text: string): AmountReading {
  const unit = formatMoney(cents(0), SHORT) + terms().currency;
  const typed = text
    .replace(OTHER_DIGITS, (digit) => `${digit.charCodeAt(0) & 15}`)
    .replace(/[\u066b\uff0e]/g, '.')
    .replace(/[\u066c\uff0c]/g, ',')
    // Invisible marks of direction come with pasted amounts.
    .replace(/\p{Cf}/gu, '')
    .trim();
  const plain = typed.replace(/^\D+|\D+$/g, (edge) =>
    edge.replace(/./g, (sign) => (unit.includes(sign) || sign.trim() === '' ? '' : sign)),
  );
  if (plain === '') return { amountCents: null, problem: NO_AMOUNT };
  const { exponent, minTipCents } = terms();
  const forms = exponent === 0 ? [ONLY_GROUPS, ...FORMS] : FORMS;
  const [, whole, decimals = ''] = forms.map((form) => form.exec(plain)).find(Boolean) ?? [];
  if (whole === undefined)
    return { amountCents: null, problem: `Write the amount like ${exponent === 0 ? minTipCents : '12.50'}` };
  const doubt = typed === plain ? doubtAbout(plain) : null;
  if (doubt !== null) return { amountCents: null, problem: doubt };
  if (decimals.length > exponent) return { amountCents: null, problem: amountTooFine() };
  const amount = Number(whole.replace(/\D/g, '') + decimals.padEnd(exponent, '0'));
  return isWithinBounds(amount)
    ? { amountCents: cents(amount), problem: null }
    : { amountCents: null, problem: amountOutOfBounds() };
}
