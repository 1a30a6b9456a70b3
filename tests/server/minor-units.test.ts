/** What Stripe is told of an amount is that amount, however many decimals a currency has here and at Stripe. */
import { afterEach, expect, test } from 'vitest';
import { fromStripe, toStripe } from '#server/payments/stripe/minor-units.ts';
import { putInForce, SPECIFIED_TERMS } from '#shared/money.ts';

afterEach(() => putInForce(SPECIFIED_TERMS));

/** Those of which Stripe takes whole units. Of all others it takes hundredths. */
const WHOLE_AT_STRIPE = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');

test('1,234 units are told to Stripe as so many, in each currency with none or two decimals', () => {
  const told = new Set<string>();
  for (const currency of Intl.supportedValuesOf('currency')) {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency });
    const exponent = format.resolvedOptions().maximumFractionDigits ?? 2;
    if (exponent !== 0 && exponent !== 2) continue;
    putInForce({ ...SPECIFIED_TERMS, currency, exponent });
    const amount = 1_234 * 10 ** exponent;
    const decimals = WHOLE_AT_STRIPE.includes(currency) ? 0 : 2;
    expect([currency, toStripe(amount)]).toEqual([currency, 1_234 * 10 ** decimals]);
    expect([currency, fromStripe(toStripe(amount))]).toEqual([currency, amount]);
    told.add(`${exponent} ${decimals}`);
  }
  expect([...told].sort()).toEqual(['0 0', '0 2', '2 2']);
});
