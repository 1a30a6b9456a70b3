/** The example tips of the landing page, with the fees of real ones. */
import { type Cents, cents, feesFor } from '#shared/money.ts';

export const EXAMPLE_TIP_CENTS = cents(2_500);
export const EXAMPLE_FEES = feesFor(EXAMPLE_TIP_CENTS);
export const EXAMPLE_NET_CENTS = EXAMPLE_FEES.netAmountCents;
/** The newest tip comes first. */
export const EXAMPLE_TIPS_TODAY_CENTS: readonly Cents[] = [
  EXAMPLE_TIP_CENTS,
  ...[1_500, 5_000, 1_000].map(cents),
];

export function netOf(tipCents: Cents): Cents {
  return feesFor(tipCents).netAmountCents;
}

export function sum(amountsCents: readonly Cents[]): Cents {
  return cents(amountsCents.reduce<number>((totalCents, amountCents) => totalCents + amountCents, 0));
}
