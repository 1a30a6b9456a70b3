/** Whether fees are told: a fee of 0 is no line and no column, but earlier terms may have had another one. */
import { terms } from '#shared/money.ts';
import type { TipDirection } from '#shared/records.ts';

/** @param sums of the fees that would stand there, in cents. */
export function hasFees(direction: TipDirection, sums: readonly number[]): boolean {
  const { giverFeeRate, receiverFeeRate } = terms();
  return (direction === 'received' ? receiverFeeRate : giverFeeRate) > 0 || sums.some((sum) => sum !== 0);
}
