/** The one place where tests list what a tip is made of. */
import type { NewTransaction } from '#server/storage/port/ledger.ts';
import { cents, feesFor, SPECIFIED_TERMS } from '#shared/money.ts';

type Needed = Pick<NewTransaction, 'id' | 'giverId' | 'qrCodeId' | 'createdAtMs'>;

/** A tip for bartending at the fees of its amount, which is in cents. @param changes what is otherwise. */
export function newTip(
  needed: Needed & { readonly amountCents: number },
  changes: Partial<NewTransaction> = {},
): NewTransaction {
  const amountCents = cents(needed.amountCents);
  return {
    ...needed,
    ...feesFor(amountCents),
    amountCents,
    serviceCategory: 'bartender',
    giverFeeRate: SPECIFIED_TERMS.giverFeeRate,
    receiverFeeRate: SPECIFIED_TERMS.receiverFeeRate,
    idempotencyKey: null,
    paymentMode: 'simulated',
    termsVersion: SPECIFIED_TERMS.version,
    ...changes,
  };
}
