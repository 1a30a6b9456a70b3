/**
 * Money of an installation: integers of the smallest unit of its one currency, and the terms on which tips are given.
 * Amounts are parsed by digits, never by floating-point arithmetic, and fees are rounded half up.
 * The present terms are kept here: the server reads them from its database, a page from its root element.
 */
import type { $brand } from 'zod';
import { PAGE_LANGUAGE } from './language.ts';

/** A safe integer of the smallest unit: of cents in USD and EUR, of yen in JPY, of fils in KWD. */
export type Cents = number & $brand<'Cents'>;

/** 1 is a hundredth of a percent, 500 is 5 %. */
export type BasisPoints = number;

export interface Terms {
  /** 0 for the specified terms, which no operator has changed; each change has the next number. */
  readonly version: number;
  /** Its code of ISO 4217. */
  readonly currency: string;
  /** The digits after the point: 0, 2 or 3. */
  readonly exponent: number;
  readonly giverFeeRate: BasisPoints;
  readonly receiverFeeRate: BasisPoints;
  readonly minTipCents: Cents;
  readonly maxTipCents: Cents;
  /** The amounts offered on the tip page, ascending. */
  readonly quickAmountsCents: readonly Cents[];
}

export const SPECIFIED_TERMS: Terms = {
  version: 0,
  currency: 'USD',
  exponent: 2,
  giverFeeRate: 500,
  receiverFeeRate: 300,
  minTipCents: cents(1_000),
  maxTipCents: cents(1_000_000),
  quickAmountsCents: [1_000, 1_500, 2_000, 2_500, 3_000, 5_000, 7_500, 10_000, 15_000, 20_000].map(cents),
};

let present = SPECIFIED_TERMS;
/** Leaves zeros after the point away, as in `$10`. */
export const SHORT: Intl.NumberFormatOptions = { trailingZeroDisplay: 'stripIfInteger' };

export function terms(): Terms {
  return present;
}

export function putInForce(next: Terms): void {
  present = next;
}

/** Brands a number as cents. @throws RangeError when it is not a safe integer. */
export function cents(value: number): Cents {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number of cents`);
  return value as Cents;
}

/** A JSON number; the division is exact to the smallest unit over the safe range. */
export function decimalFromCents(amount: Cents): number {
  return amount / 10 ** present.exponent;
}

/**
 * As people read it, such as `$1,234.56`. The terms decide how many digits are written, because browsers disagree about
 * those of some currencies, such as HUF.
 */
export function formatMoney(amount: Cents, options?: Intl.NumberFormatOptions): string {
  const { currency, exponent } = present;
  // Adding zero keeps the sign of -0 away.
  return (decimalFromCents(amount) + 0).toLocaleString(PAGE_LANGUAGE, {
    style: 'currency',
    currency,
    minimumFractionDigits: exponent,
    ...options,
  });
}

/** `5%` for 500. */
export function formatRate(rate: BasisPoints): string {
  return `${rate / 100}%`;
}

export interface Fees {
  /** Paid by the giver on top of the amount. */
  readonly giverFeeCents: Cents;
  /** Deducted from the amount. */
  readonly receiverFeeCents: Cents;
  readonly netAmountCents: Cents;
}

export function feesFor(
  amount: Cents,
  { giverFeeRate, receiverFeeRate }: Pick<Terms, 'giverFeeRate' | 'receiverFeeRate'> = present,
): Fees {
  const receiverFeeCents = shareOf(amount, receiverFeeRate);
  return {
    giverFeeCents: shareOf(amount, giverFeeRate),
    receiverFeeCents,
    netAmountCents: cents(amount - receiverFeeCents),
  };
}

function shareOf(amount: Cents, rate: BasisPoints): Cents {
  const tenThousandths = amount * rate + 5_000;
  return cents((tenThousandths - (tenThousandths % 10_000)) / 10_000);
}
