/**
 * Money under any terms: fees add up exactly at every rate in every currency, and what is written can be read
 * again.
 */
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { NAMED } from '#shared/amount-in-words.ts';
import { parseDecimal, plainDecimal } from '#shared/decimals.ts';
import { cents, feesFor, formatMoney, putInForce, SHORT, SPECIFIED_TERMS } from '#shared/money.ts';
import { termsFrom, termsText } from '#shared/page-terms.ts';
import { readTipAmount } from '#shared/tip-amount.ts';

const CURRENCIES = [
  ['USD', 2],
  ['EUR', 2],
  ['CHF', 2],
  ['JPY', 0],
  ['KWD', 3],
] as const;
/** The largest amount that a terms row takes. */
const MOST = 100_000_000_000;

const rate = fc.integer({ min: 0, max: 10_000 });
const terms = fc
  .record({ unit: fc.constantFrom(...CURRENCIES), giverFeeRate: rate, receiverFeeRate: rate })
  .map(({ unit: [currency, exponent], ...rates }) => ({
    ...SPECIFIED_TERMS,
    ...rates,
    version: 1,
    currency,
    exponent,
    minTipCents: cents(1),
    maxTipCents: cents(MOST),
  }));
const amounts = fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: MOST })).map(cents);

afterEach(() => putInForce(SPECIFIED_TERMS));

test('fees are exact at every rate: half a unit is rounded up, and nothing is lost or made', () => {
  const exact = (amount: number, basisPoints: number) => {
    const [whole, rest] = [
      (BigInt(amount) * BigInt(basisPoints)) / 10_000n,
      (BigInt(amount) * BigInt(basisPoints)) % 10_000n,
    ];
    return Number(rest >= 5_000n ? whole + 1n : whole);
  };
  fc.assert(
    fc.property(terms, amounts, (present, amount) => {
      const { giverFeeCents, receiverFeeCents, netAmountCents } = feesFor(amount, present);
      expect(giverFeeCents).toBe(exact(amount, present.giverFeeRate));
      expect(receiverFeeCents).toBe(exact(amount, present.receiverFeeRate));
      expect(netAmountCents + receiverFeeCents).toBe(amount);
      expect(netAmountCents).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 2_000 },
  );
});

test('an amount is read again as it was written, in every currency and form', () => {
  fc.assert(
    fc.property(terms, amounts, (present, amount) => {
      putInForce(present);
      expect(parseDecimal(plainDecimal(amount))).toBe(amount);
      for (const written of [formatMoney(amount), formatMoney(amount, SHORT), plainDecimal(amount)])
        expect(readTipAmount(written)).toEqual({ amountCents: amount, problem: null });
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['EUR', 2, '12,50', 1_250],
  ['EUR', 2, '€ 12.50', 1_250],
  ['EUR', 2, '1.234,50 EUR', 123_450],
  ['EUR', 2, '12.505', null],
  ['JPY', 0, '¥1,200', 1_200],
  ['JPY', 0, '1200', 1_200],
  ['JPY', 0, '1200.5', null],
  ['KWD', 3, '1.250', 1_250],
  ['KWD', 3, 'KWD 1.25', 1_250],
  ['KWD', 3, '1.2505', null],
] as const)('%s with %i decimals: %s', (currency, exponent, typed, amountCents) => {
  putInForce({ ...SPECIFIED_TERMS, version: 1, currency, exponent, minTipCents: cents(1) });
  expect(readTipAmount(typed).amountCents).toBe(amountCents);
});

test('a sign of another currency is no amount of this one', () => {
  expect(readTipAmount('€25').amountCents).toBeNull();
  expect(readTipAmount('25').amountCents).toBe(2_500);
});

test.each([
  ['USD', 2, 123_450, '$1,234.50', '$1,234.50', '1,234.50 US dollars'],
  ['EUR', 2, 100, '€1.00', '€1', '1 euro'],
  ['JPY', 0, 1_200, '¥1,200', '¥1,200', '1,200 Japanese yen'],
  ['KWD', 3, 1_250, 'KWD\u00a01.250', 'KWD\u00a01.250', '1.250 Kuwaiti dinars'],
  ['USD', 2, -0, '$0.00', '$0', '0 US dollars'],
] as const)('%s is written as the page’s language writes it', (currency, exponent, amount, full, short, named) => {
  putInForce({ ...SPECIFIED_TERMS, version: 1, currency, exponent });
  expect([formatMoney(cents(amount)), formatMoney(cents(amount), SHORT)]).toEqual([full, short]);
  expect(formatMoney(cents(amount), NAMED)).toBe(named);
});

test('a page carries its terms whole, and one without any the specified ones', () => {
  fc.assert(
    fc.property(terms, (present) => {
      expect(termsFrom(termsText(present) ?? '')).toEqual(present);
    }),
  );
  expect(termsFrom(undefined)).toBe(SPECIFIED_TERMS);
  expect(termsFrom('')).toBe(SPECIFIED_TERMS);
  expect(termsText(SPECIFIED_TERMS)).toBeNull();
});
