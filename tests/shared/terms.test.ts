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
      const read = { amountCents: amount, problem: null };
      for (const written of [formatMoney(amount), formatMoney(amount, SHORT)])
        expect(readTipAmount(written)).toEqual(read);
      // Of dinars a plain number may be in doubt, but never another amount.
      const plain = readTipAmount(plainDecimal(amount));
      expect(present.exponent === 3 && plain.amountCents === null ? read : plain).toEqual(read);
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
  ['JPY', 0, '1.500', 1_500],
  ['JPY', 0, '0.500', null],
  ['JPY', 0, '12.34', null],
  ['JPY', 0, '1500.000', null],
  ['VND', 0, '50.000', 50_000],
  ['VND', 0, '50.000\u00a0₫', 50_000],
  ['VND', 0, '50,000', 50_000],
  ['VND', 0, '1.000.000', 1_000_000],
  ['CLP', 0, 'CLP 5.000', 5_000],
  ['KWD', 3, '1.250', 1_250],
  ['KWD', 3, 'KWD 1.25', 1_250],
  ['KWD', 3, '1.2505', null],
] as const)('%s with %i decimals: %s', (currency, exponent, typed, amountCents) => {
  putInForce({ ...SPECIFIED_TERMS, version: 1, currency, exponent, minTipCents: cents(1) });
  expect(readTipAmount(typed).amountCents).toBe(amountCents);
});

test.each([
  ['1,500', 'Write KWD\u00a01.500 or KWD\u00a01,500.000, as you mean it'],
  ['1.500', 'Write KWD\u00a01.500 or KWD\u00a01,500.000, as you mean it'],
  ['\u0661,\u0665\u0660\u0660', 'Write KWD\u00a01.500 or KWD\u00a01,500.000, as you mean it'],
  [' 12,345 ', 'Write KWD\u00a012.345 or KWD\u00a012,345.000, as you mean it'],
  // Nobody may give a thousandfold of these, but whoever writes a comma may have meant to.
  ['900,000', 'Write KWD\u00a0900.000 or KWD\u00a0900,000.000, as you mean it'],
])('of dinars %j may be one of two amounts, and the giver is asked which', (typed, problem) => {
  const dinars = { currency: 'KWD', exponent: 3, minTipCents: cents(1_000), maxTipCents: cents(20_000_000) };
  putInForce({ ...SPECIFIED_TERMS, version: 1, ...dinars });
  expect(readTipAmount(typed)).toEqual({ amountCents: null, problem });
});

test.each([
  ['1.5', 1_500],
  ['1,5', 1_500],
  ['1,50', 1_500],
  ['KWD 1.500', 1_500],
  ['KWD\u00a01,500', 1_500_000],
  ['1500', 1_500_000],
  ['1,500.000', 1_500_000],
  ['1.500,000', 1_500_000],
  ['1 500', 1_500_000],
  ['1500.500', 1_500_500],
  ['0001.500', 1_500],
  ['900.500', 900_500],
])('of dinars %j is %i fils', (typed, amountCents) => {
  const dinars = { currency: 'KWD', exponent: 3, minTipCents: cents(1_000), maxTipCents: cents(20_000_000) };
  putInForce({ ...SPECIFIED_TERMS, version: 1, ...dinars });
  expect(readTipAmount(typed)).toEqual({ amountCents, problem: null });
});

test('of a currency without decimals the example of an amount is one that may be given', () => {
  putInForce({ ...SPECIFIED_TERMS, version: 1, currency: 'VND', exponent: 0, minTipCents: cents(10_000) });
  expect(readTipAmount('1.0.0')).toEqual({ amountCents: null, problem: 'Write the amount like 10000' });
  expect(readTipAmount('10000').problem).toBeNull();
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
