/** The part of the console about the income from fees. */
import { feeIncome, feeQuery } from '#shared/console/fees.ts';
import { operatorProcedure, router } from './console-trpc.ts';

export const feeProcedures = router({
  income: operatorProcedure
    .input(feeQuery)
    .output(feeIncome)
    .query(({ ctx, input }) => ctx.services.feeIncome.read(input)),
});
