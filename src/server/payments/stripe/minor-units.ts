/**
 * Amounts as Stripe takes them (https://docs.stripe.com/currencies#minor-units): in hundredths, but for the
 * currencies that never had any. Stripe also counts hundredths of currencies that have lost them (HUF, IDR, ISK), of
 * which this installation counts whole units. No server takes payments in currencies with thousandths.
 */
import { terms } from '#shared/money.ts';

/** Without hundredths at Stripe: https://docs.stripe.com/currencies#zero-decimal */
const WHOLE = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');

function factor(): number {
  const { currency, exponent } = terms();
  return exponent === 0 && !WHOLE.includes(currency) ? 100 : 1;
}

export const stripeCurrency = (): string => terms().currency.toLowerCase();
export const toStripe = (cents: number): number => cents * factor();
/** Rounds what an operator has moved at Stripe in parts of a unit that has none. */
export const fromStripe = (amount: number): number => Math.round(amount / factor());
