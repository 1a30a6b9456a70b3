/** The one place where tests list what a tip is made of. */
import type { GivenTip } from '#server/storage/port/ledger.ts';
import { idOfKeyedTip } from '#server/tips/transactions.ts';
import { cents, feesFor, SPECIFIED_TERMS } from '#shared/money.ts';

type Needed = Pick<GivenTip, 'id' | 'giverId' | 'qrCodeId' | 'createdAtMs'>;

/**
 * A tip for bartending at the fees of its amount, which is in cents.
 * @param needed `id` is that of a tip without a key, or of a guest's.
 * @param changes what is otherwise.
 */
export function newTip(
  needed: Needed & { readonly amountCents: number },
  changes: Partial<GivenTip> = {},
): GivenTip {
  const amountCents = cents(needed.amountCents);
  const tip: GivenTip = {
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
  const { giverId, idempotencyKey } = tip;
  return giverId === null || idempotencyKey === null
    ? tip
    : { ...tip, id: idOfKeyedTip(giverId, idempotencyKey) };
}
