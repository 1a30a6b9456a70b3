import { PAGE_LANGUAGE } from '#shared/language.ts';
import { SHORT, type Terms } from '#shared/money.ts';

/** An amount by terms that need not hold now. @param amount in the smallest unit. */
export function money(amount: number, { currency, exponent }: Pick<Terms, 'currency' | 'exponent'>): string {
  return (amount / 10 ** exponent).toLocaleString(PAGE_LANGUAGE, {
    ...SHORT,
    style: 'currency',
    currency,
    minimumFractionDigits: exponent,
  });
}
