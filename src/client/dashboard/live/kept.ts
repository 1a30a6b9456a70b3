/** The sum that a receiver keeps of a tip; its later changes are in `ui/later/tip-changes.ts`, fetched apart. */
import { cents, formatMoney } from '#shared/money.ts';
import type { Transaction } from '#shared/tips.ts';

export function keptOf({ netAmountCents, changes }: Pick<Transaction, 'netAmountCents' | 'changes'>): string {
  let kept: number = netAmountCents;
  for (const change of changes) kept += change.amountCents;
  return `you keep ${formatMoney(cents(kept))}`;
}
