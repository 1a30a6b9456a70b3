/**
 * How the sums of one tip are named. The giver's amount leads wherever a tip is named, and what was paid or
 * kept stands beside it, so that no two sums of a tip are taken for each other.
 */
import { cents, formatMoney } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';

/** For the receiver, such as `you keep $19.40`. */
export function keptOf({ netAmountCents }: Pick<Transaction, 'netAmountCents'>): string {
  return `you keep ${formatMoney(netAmountCents)}`;
}

/** For the giver, such as `you paid $21.00`. */
export function paidOf({
  amountCents,
  giverFeeCents,
}: Pick<Transaction, 'amountCents' | 'giverFeeCents'>): string {
  return `you paid ${formatMoney(cents(amountCents + giverFeeCents))}`;
}
