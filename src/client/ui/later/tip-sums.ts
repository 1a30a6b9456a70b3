/**
 * How the sums of one tip are named. The giver's amount leads wherever a tip is named, and what was paid or
 * kept stands beside it, so that no two sums of a tip are taken for each other.
 */
import { type Cents, cents, formatMoney } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';

type Kept = Pick<Transaction, 'netAmountCents' | 'changes'>;
type Paid = Pick<Transaction, 'amountCents' | 'giverFeeCents' | 'changes'>;

/** For the receiver, such as `you keep $19.40`. */
export function keptOf(tip: Kept): string {
  return `you keep ${formatMoney(leftOfKept(tip))}`;
}

/** For the giver, such as `you paid $21.00`. */
export function paidOf(tip: Paid): string {
  return `you paid ${formatMoney(leftOfPaid(tip))}`;
}

/** What its receiver keeps of a tip after all that has happened to it, in cents. */
export function leftOfKept({ netAmountCents, changes }: Kept): Cents {
  return after(netAmountCents, changes);
}

/** What its giver has paid, less what came back, in cents. */
export function leftOfPaid({ amountCents, giverFeeCents, changes }: Paid): Cents {
  return after(amountCents + giverFeeCents, changes);
}

function after(begunCents: number, changes: Transaction['changes']): Cents {
  return cents(changes.reduce<number>((sum, { amountCents }) => sum + amountCents, begunCents));
}
