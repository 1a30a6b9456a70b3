/**
 * What must hold of a tip by itself, apart from its entries: `TIP_INVARIANTS` in `ledger-invariants.ts`, for a row that was read.
 */
import { SERVICE_CATEGORIES, type ServiceCategory } from '#shared/categories.ts';
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { Cents } from '#shared/money.ts';

export interface TipFacts {
  readonly id: TransactionId;
  /** Null for a guest. */
  readonly giverId: UserId | null;
  readonly receiverId: UserId;
  readonly serviceCategory: ServiceCategory;
  readonly amountCents: Cents;
  readonly giverFeeCents: Cents;
  readonly receiverFeeCents: Cents;
  readonly netAmountCents: Cents;
  /** In basis points. */
  readonly giverFeeRate: number;
  readonly receiverFeeRate: number;
  /** The owner and the service of its code; null when there is no such code. */
  readonly codeOwnerId: UserId | null;
  readonly codeCategory: ServiceCategory | null;
}

/** What is wrong with a tip, in sentences. */
export function problemsOfTip(tip: TipFacts): string[] {
  const { id, amountCents, giverFeeCents, receiverFeeCents, netAmountCents, giverId, receiverId } = tip;
  const rules: readonly (readonly [holds: boolean, sentence: string])[] = [
    [netAmountCents + receiverFeeCents === amountCents, 'net amount and receiver fee make up the amount'],
    [
      giverFeeCents === shareOf(amountCents, tip.giverFeeRate) &&
        receiverFeeCents === shareOf(amountCents, tip.receiverFeeRate),
      'fees are those of the rates stored with the tip',
    ],
    [
      Math.min(amountCents, giverFeeCents, receiverFeeCents, netAmountCents) >= 0 &&
        Math.min(tip.giverFeeRate, tip.receiverFeeRate) >= 0,
      'nothing is negative',
    ],
    [
      tip.codeOwnerId === receiverId && tip.codeCategory === tip.serviceCategory,
      'a tip goes to the owner of its code, for the service of the code',
    ],
    [giverId !== receiverId, 'nobody tips themselves'],
    [SERVICE_CATEGORIES.includes(tip.serviceCategory), 'the category is known'],
  ];
  return rules.filter(([holds]) => !holds).map(([, sentence]) => `${sentence}: not so in ${id}`);
}

/** Rounds half up to a cent, as feesFor() does. @param rate in basis points. */
function shareOf(amountCents: number, rate: number): number {
  return Math.floor((amountCents * rate + 5_000) / 10_000);
}
