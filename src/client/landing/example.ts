/** The tips that the landing page tells its story with, worked out by the same rules as real ones. */
import { type Cents, cents, feesFor } from '#shared/money.ts';

export const EXAMPLE_TIP = cents(2_500);
export const EXAMPLE_FEES = feesFor(EXAMPLE_TIP);
export const EXAMPLE_NET = EXAMPLE_FEES.netAmountCents;
/** Newest first. */
export const EXAMPLE_TIPS_TODAY: readonly Cents[] = [EXAMPLE_TIP, ...[1_500, 5_000, 1_000].map(cents)];

export function netOf(tip: Cents): Cents {
  return feesFor(tip).netAmountCents;
}

export function sum(amounts: readonly Cents[]): Cents {
  return cents(amounts.reduce<number>((total, amount) => total + amount, 0));
}
