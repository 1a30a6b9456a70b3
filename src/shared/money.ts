/**
 * US dollars as integer cents. The brand keeps dollars, cents and counts apart at compile time; amounts are
 * parsed by digits, never by floating-point arithmetic, and fees are rounded half up to a cent.
 */
import type { $brand } from 'zod';

/** A safe integer of US cents. */
export type Cents = number & $brand<'Cents'>;

/** 1 is a hundredth of a percent, 500 is 5 %. */
export type BasisPoints = number;

/** $10. */
export const MIN_TIP_CENTS = cents(1_000);
/** $10,000. */
export const MAX_TIP_CENTS = cents(1_000_000);
/** 5 %, added to the tip and paid by the giver. */
export const GIVER_FEE_RATE: BasisPoints = 500;
/** 3 %, deducted before the tip reaches the provider. */
export const RECEIVER_FEE_RATE: BasisPoints = 300;
/** The amounts offered on the tip page, ascending. */
export const QUICK_AMOUNTS_CENTS: readonly Cents[] = [
  1_000, 1_500, 2_000, 2_500, 3_000, 5_000, 7_500, 10_000, 15_000, 20_000,
].map(cents);

/** Brands a number as cents. @throws RangeError when it is not a safe integer. */
export function cents(value: number): Cents {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number of cents`);
  return value as Cents;
}

const DOLLARS = /^(\d{1,12})(?:\.(\d{0,2}))?$/;

/**
 * Reads "12", "12.5" or "12.50" by digits.
 * @returns null unless the text is an amount of dollars with at most two decimals.
 */
export function parseDollars(text: string): Cents | null {
  const match = DOLLARS.exec(text);
  if (!match?.[1]) return null;
  return cents(Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')));
}

/**
 * Reads a JSON number of dollars, such as `10.5`, by its printed digits.
 * @returns null when it has more than two decimals, is negative or is not a number.
 */
export function centsFromDollars(dollars: unknown): Cents | null {
  return typeof dollars === 'number' ? parseDollars(String(dollars)) : null;
}

/** A JSON number of dollars; division by 100 is exact to the cent over the safe range. */
export function dollarsFromCents(amount: Cents): number {
  return amount / 100;
}

/** `$1,234.56`. */
export function formatUsd(amount: Cents): string {
  const digits = String(Math.abs(amount)).padStart(3, '0');
  const dollars = digits.slice(0, -2).replace(/\B(?=(?:\d{3})+$)/g, ',');
  return `${amount < 0 ? '-' : ''}$${dollars}.${digits.slice(-2)}`;
}

export interface Fees {
  /** Paid by the giver on top of the amount. */
  readonly giverFeeCents: Cents;
  /** Deducted from the amount. */
  readonly receiverFeeCents: Cents;
  /** The amount less the receiver fee. */
  readonly netAmountCents: Cents;
}

/** The fees of an amount at the present rates, each rounded half up to a cent. */
export function feesFor(amount: Cents): Fees {
  const receiverFeeCents = shareOf(amount, RECEIVER_FEE_RATE);
  return {
    giverFeeCents: shareOf(amount, GIVER_FEE_RATE),
    receiverFeeCents,
    netAmountCents: cents(amount - receiverFeeCents),
  };
}

function shareOf(amount: Cents, rate: BasisPoints): Cents {
  const tenThousandths = amount * rate + 5_000;
  return cents((tenThousandths - (tenThousandths % 10_000)) / 10_000);
}
