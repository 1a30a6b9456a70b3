/**
 * Money is whole cents, read by its digits and charged to the cent: fees are compared with an exact
 * computation in big integers, texts and JSON numbers with what their digits say, and whatever is no amount
 * is refused.
 */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NAMED } from '#shared/amount-in-words.ts';
import { centsFromDecimal, parseDecimal } from '#shared/decimals.ts';
import {
  cents,
  decimalFromCents,
  feesFor,
  formatMoney,
  putInForce,
  SHORT,
  SPECIFIED_TERMS,
} from '#shared/money.ts';
import { readTipAmount } from '#shared/tip-amount.ts';
import { newTip } from '#shared/tips.ts';

/** Dollars below what `parseDecimal` reads: twelve digits. */
const MOST_CENTS = 10 ** 14 - 1;

/** A share in percent, rounded half up, by long division. */
function exactShare(amountCents: number, percent: bigint): number {
  const hundredths = BigInt(amountCents) * percent;
  const [whole, rest] = [hundredths / 100n, hundredths % 100n];
  return Number(rest >= 50n ? whole + 1n : whole);
}

describe('fees', () => {
  test('are 5 % for the giver and 3 % for the provider', () => {
    expect([SPECIFIED_TERMS.giverFeeRate, SPECIFIED_TERMS.receiverFeeRate]).toEqual([500, 300]);
  });

  test.each([
    [1_000, 50, 970],
    [1_001, 50, 971],
    [1_010, 51, 980],
    [1_050, 53, 1_018],
    [9_999, 500, 9_699],
    [123_456, 6_173, 119_752],
    [1_000_000, 50_000, 970_000],
  ])('of %i cents are as decided: %i for the giver, %i left for the provider', (amount, fee, net) => {
    expect(feesFor(cents(amount))).toEqual({
      giverFeeCents: fee,
      receiverFeeCents: amount - net,
      netAmountCents: net,
    });
  });

  test('are exact to the cent for every amount from 1,000 to 50,000 cents', () => {
    const wrong = [];
    for (let amount = 1_000; amount <= 50_000; amount += 1) {
      const fees = feesFor(cents(amount));
      const receiverFee = exactShare(amount, 3n);
      const isRight =
        fees.giverFeeCents === exactShare(amount, 5n) &&
        fees.receiverFeeCents === receiverFee &&
        fees.netAmountCents === amount - receiverFee;
      if (!isRight) wrong.push({ amount, ...fees });
    }
    expect(wrong).toEqual([]);
  });

  test('are exact to the cent for any amount that may be tipped', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: SPECIFIED_TERMS.minTipCents, max: SPECIFIED_TERMS.maxTipCents }),
        (amount) => {
          expect(feesFor(cents(amount))).toEqual({
            giverFeeCents: exactShare(amount, 5n),
            receiverFeeCents: exactShare(amount, 3n),
            netAmountCents: amount - exactShare(amount, 3n),
          });
        },
      ),
    );
  });
});

describe('cents()', () => {
  test.each([
    10.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    -(2 ** 53),
    1e-9,
  ])('refuses %d', (value) => {
    expect(() => cents(value)).toThrow(RangeError);
  });

  test.each([0, 1, -1, Number.MAX_SAFE_INTEGER])('vouches for %i', (value) => {
    expect(cents(value)).toBe(value);
  });
});

describe('parseDecimal()', () => {
  test('reads up to twelve digits and up to two decimals by their digits', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[0-9]{1,12}$/),
        fc.stringMatching(/^[0-9]{0,2}$/),
        (whole, decimals) => {
          const expected = Number(BigInt(whole) * 100n + BigInt(decimals.padEnd(2, '0')));
          expect(parseDecimal(`${whole}.${decimals}`)).toBe(expected);
          expect(parseDecimal(whole)).toBe(Number(BigInt(whole) * 100n));
        },
      ),
    );
  });

  test('reads any other text as no amount', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.double().map(String)), (text) => {
        const isAmount = /^[0-9]{1,12}([.][0-9]{0,2})?$/.test(text);
        expect(parseDecimal(text) !== null).toBe(isAmount);
      }),
    );
  });

  test.each([
    '',
    ' ',
    '.5',
    '.',
    '10.005',
    '1,000',
    '$10',
    ' 10',
    '10 ',
    '10\n',
    '-10',
    '+10',
    '1e3',
    '0x10',
    '10.5.5',
    '１０',
    '٣٠',
    '1234567890123',
  ])('reads %j as no amount', (text) => {
    expect(parseDecimal(text)).toBeNull();
  });
});

describe('centsFromDecimal()', () => {
  test('reads every whole number of cents back from the JSON number that shows it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MOST_CENTS }), (amount) => {
        const wire = JSON.stringify(decimalFromCents(cents(amount)));
        expect(centsFromDecimal(JSON.parse(wire))).toBe(amount);
      }),
    );
  });

  test('reads a number as the amount that it prints as, or as none', () => {
    fc.assert(
      fc.property(fc.double(), (dollars) => {
        const amount = centsFromDecimal(dollars);
        const digits = /^([0-9]{1,12})(?:[.]([0-9]{1,2}))?$/.exec(String(dollars));
        const expected = digits
          ? BigInt(digits[1] ?? '') * 100n + BigInt((digits[2] ?? '').padEnd(2, '0'))
          : null;
        expect(amount).toBe(expected === null ? null : Number(expected));
      }),
    );
  });

  test.each([
    [9.99, 999],
    [10.5, 1_050],
    [1.1, 110],
    [0.29, 29],
    [1234.56, 123_456],
    [10_000, 1_000_000],
  ])('reads %d as %i cents', (dollars, expected) => {
    expect(centsFromDecimal(dollars)).toBe(expected);
  });

  test.each([
    10.005,
    0.1 + 0.2,
    -10,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e21,
    1e-7,
    '10',
    null,
    undefined,
    true,
    [10],
    {},
  ])('reads %o as no amount', (value) => {
    expect(centsFromDecimal(value)).toBeNull();
  });
});

describe('formatMoney()', () => {
  const usd = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

  test('shows an amount as Americans write it', () => {
    fc.assert(
      fc.property(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), (amount) => {
        expect(formatMoney(cents(amount))).toBe(usd.format(amount / 100));
      }),
    );
  });

  test('shows what reads back as the same amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MOST_CENTS }), (amount) => {
        expect(parseDecimal(formatMoney(cents(amount)).replace(/[$,]/g, ''))).toBe(amount);
      }),
    );
  });

  test.each([
    [123_456, '$1,234.56'],
    [5, '$0.05'],
    [0, '$0.00'],
    [100_000_000, '$1,000,000.00'],
    [-150, '-$1.50'],
  ])('shows %i cents as %s', (amount, text) => {
    expect(formatMoney(cents(amount))).toBe(text);
  });

  // The engine of this test takes HUF for a currency without decimals; other ones give it two, as ISO 4217 does.
  test.each([
    ['HUF', 0, 'HUF 150,050', 'HUF 150,050', '150,050 Hungarian forints'],
    ['HUF', 2, 'HUF 1,500.50', 'HUF 1,500.50', '1,500.50 Hungarian forints'],
    ['EUR', 0, '€150,050', '€150,050', '150,050 euros'],
    ['JPY', 0, '¥150,050', '¥150,050', '150,050 Japanese yen'],
    ['KWD', 3, 'KWD 150.050', 'KWD 150.050', '150.050 Kuwaiti dinars'],
  ])('has the digits of the terms, whatever the engine takes for those of %s (%i)', (currency, exponent, ...texts) => {
    putInForce({ ...SPECIFIED_TERMS, currency, exponent });
    onTestFinished(() => putInForce(SPECIFIED_TERMS));
    const spaced = [undefined, SHORT, NAMED].map((options) => formatMoney(cents(150_050), options));
    expect(spaced.map((text) => text.replaceAll('\u00a0', ' '))).toEqual(texts);
  });
});

describe('the amount of a tip', () => {
  const tipOf = (amountCents: unknown) =>
    newTip.safeParse({ amountCents, receiverQrId: '00000-00000', serviceCategory: 'dj' });

  test.each([
    1_000,
    1_001,
    999_999,
    1_000_000,
    ...SPECIFIED_TERMS.quickAmountsCents,
  ])('may be %i cents', (amount) => {
    expect(tipOf(amount).success).toBe(true);
  });

  test.each([
    999,
    1_000_001,
    0,
    -1_000,
    -0.5,
    1e11,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '1000',
    [1_000],
    true,
  ])('may not be %s', (amount) => {
    const parsed = tipOf(amount);
    expect(parsed.error?.issues.map(({ path, message }) => [path, message])).toEqual([
      [['amountCents'], 'Tip amount must be between $10 and $10,000'],
    ]);
  });

  test.each([
    1_000.5, 999.5, 1_234.5, 1_000_000.1, 0.001,
  ])('may not be %d cents, which have more than two decimals in dollars', (amount) => {
    const parsed = tipOf(amount);
    expect(parsed.error?.issues.map(({ path, message }) => [path, message])).toEqual([
      [['amountCents'], 'Amounts have at most two decimals'],
    ]);
  });

  test.each([null, undefined])('must be chosen, so not %s', (amount) => {
    expect(tipOf(amount).error?.issues.map(({ message }) => message)).toEqual(['Please select a tip amount']);
  });
});

describe('the amount of a tip, as it is typed', () => {
  test.each([
    ['25', 2_500],
    ['25.5', 2_550],
    ['25,50', 2_550],
    ['$ 25', 2_500],
    ['1,000', 100_000],
    ['1,000.10', 100_010],
    ['1.234,56', 123_456],
    ['1,234.56', 123_456],
    ["1'234.56", 123_456],
    ['10’000', 1_000_000],
    ['1 234,56', 123_456],
    ['1\u202f234,5', 123_450],
    ['1 234', 123_400],
    ['1\u00a0234.56', 123_456],
    ['1\u2009234,56', 123_456],
    [' 1 234 $ ', 123_400],
    ['25\u00a0USD', 2_500],
    ['12.', 1_200],
    ['10', 1_000],
    ['10000', 1_000_000],
    ['٢٥٫٥', 2_550],
    ['١٬٢٣٤٫٥٦', 123_456],
    ['۲۵', 2_500],
    ['２５．５０', 2_550],
    ['\u200f$25\u200e', 2_500],
    ['\u2068$25\u2069', 2_500],
  ])('%j is %i cents', (text, amount) => {
    expect(readTipAmount(text)).toEqual({ amountCents: amount, problem: null });
  });

  test.each([
    ['', 'Please select a tip amount'],
    [' ', 'Please select a tip amount'],
    ['9.99', 'Tip amount must be between $10 and $10,000'],
    ['10000.01', 'Tip amount must be between $10 and $10,000'],
    ['12,345', 'Tip amount must be between $10 and $10,000'],
    ['1.234.567,00', 'Tip amount must be between $10 and $10,000'],
    ['1.234.567', 'Write the amount like 12.50'],
    ['123456789012345', 'Tip amount must be between $10 and $10,000'],
    ['-20', 'Write the amount like 12.50'],
    ['abc', 'Write the amount like 12.50'],
    ['12,34,5', 'Write the amount like 12.50'],
    ["25'50", 'Write the amount like 12.50'],
    ['25 50', 'Write the amount like 12.50'],
    ['25\u00a050', 'Write the amount like 12.50'],
    ['2 5', 'Write the amount like 12.50'],
    ['1 00', 'Write the amount like 12.50'],
    ['1  234', 'Write the amount like 12.50'],
    ['25 ,50', 'Write the amount like 12.50'],
    ['25$50', 'Write the amount like 12.50'],
    ['- 20', 'Write the amount like 12.50'],
    ['1.2.3', 'Write the amount like 12.50'],
    ['1,23.45', 'Write the amount like 12.50'],
    ['20-25', 'Write the amount like 12.50'],
    ['1e3', 'Write the amount like 12.50'],
    ['12.345', 'Amounts have at most two decimals'],
    ['20.555', 'Amounts have at most two decimals'],
    ['12,3456', 'Amounts have at most two decimals'],
    ['1,000.005', 'Amounts have at most two decimals'],
    ['10.500', 'Amounts have at most two decimals'],
    ['$0.001', 'Amounts have at most two decimals'],
  ])('%j is told %j', (text, problem) => {
    expect(readTipAmount(text)).toEqual({ amountCents: null, problem });
  });

  test('is the same amount in the forms of English, German and French', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 1_000_000 }), (amountCents) => {
        for (const locale of ['en-US', 'de-DE', 'fr-FR', 'de-AT']) {
          const text = (amountCents / 100).toLocaleString(locale, { minimumFractionDigits: 2 });
          expect(readTipAmount(text), text).toEqual({ amountCents, problem: null });
        }
      }),
    );
  });
});
