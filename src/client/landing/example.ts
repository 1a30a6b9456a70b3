/** The example tips of the landing page: amounts that tip pages offer, with the fees of real tips. */
import { type Cents, cents, feesFor, SPECIFIED_TERMS, terms } from '#shared/money.ts';

export function exampleTip(): Cents {
  return offered(3);
}

export function exampleTipsToday(): readonly Cents[] {
  return [exampleTip(), ...[1, 5, 0].map(offered)];
}

function offered(index: number): Cents {
  const amounts = terms().quickAmountsCents;
  return amounts[Math.min(index, amounts.length - 1)] ?? SPECIFIED_TERMS.minTipCents;
}

export function netOf(tipCents: Cents): Cents {
  return feesFor(tipCents).netAmountCents;
}

export function sum(amountsCents: readonly Cents[]): Cents {
  return cents(amountsCents.reduce<number>((totalCents, amountCents) => totalCents + amountCents, 0));
}
