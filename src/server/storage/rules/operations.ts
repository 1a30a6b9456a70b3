import type { FeeStep, QuarterFees } from '../port/operations.ts';

/** The number of rows in a step of a sum of fees: some milliseconds of work. */
export const FEE_SPAN = 2_000;

export function feeStepOf(rows: readonly (QuarterFees & { readonly last: number })[]): FeeStep {
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  return {
    quarters: rows.map(({ last: _, ...quarter }) => quarter),
    next: count < FEE_SPAN ? null : Math.max(...rows.map(({ last }) => last)),
  };
}
