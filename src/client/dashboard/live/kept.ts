/** What a tip has come to for its receiver, apart from what is told of it later (`ui/later/tip-changes.ts`). */
import { cents, formatMoney } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';

/** Such as `you keep $19.40`. */
export function keptOf({ netAmountCents, changes }: Pick<Transaction, 'netAmountCents' | 'changes'>): string {
  let kept: number = netAmountCents;
  for (const change of changes) kept += change.amountCents;
  return `you keep ${formatMoney(cents(kept))}`;
}
