/** Checks a tip by itself, apart from its entries. */
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import type { qrCodes } from '../schema/codes.ts';
import type { NUMBERS_OF_TIP, transactions } from '../schema/views.ts';

type QrCode = typeof qrCodes.$inferSelect;

/** A row of the view without its numbers. */
export type CheckedTip = Readonly<Omit<typeof transactions.$inferSelect, (typeof NUMBERS_OF_TIP)[number]>>;

/** A tip with the owner and the service of its code, both null when there is no such code. */
export type TipToCheck = CheckedTip & {
  readonly codeOwnerId: QrCode['userId'] | null;
  readonly codeCategory: QrCode['category'] | null;
};

/** Problems of a tip by itself, in sentences, as by `TIP_INVARIANTS` in `invariants.ts`. */
export function problemsOfTip(tip: TipToCheck): string[] {
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

/** Rounds half up to a cent, like feesFor(). @param rate basis points. */
function shareOf(amountCents: number, rate: number): number {
  return Math.floor((amountCents * rate + 5_000) / 10_000);
}
