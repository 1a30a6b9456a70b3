import { PAGE_LANGUAGE } from '#shared/language.ts';
import { SHORT, type Terms } from '#shared/money.ts';

type Unit = Pick<Terms, 'currency' | 'exponent'>;

/** An amount by terms that need not hold now. @param amount in the smallest unit. */
export function money(amount: number, unit: Unit): string {
  return written(amount, unit, SHORT);
}

/** With all its decimals, for a column of sums. @param amount in the smallest unit. */
export function fullMoney(amount: number, unit: Unit): string {
  return written(amount, unit, {});
}

function written(amount: number, { currency, exponent }: Unit, options: Intl.NumberFormatOptions): string {
  return (amount / 10 ** exponent).toLocaleString(PAGE_LANGUAGE, {
    ...options,
    style: 'currency',
    currency,
    minimumFractionDigits: exponent,
  });
}
