/** The part of the console about tips and payments. */
import { foundTip, paymentTroubles, tipQuery, tipRefund } from '#shared/console/transactions.ts';
import { AppError } from '#shared/errors.ts';
import { actProcedure, operatorProcedure, router } from './console-trpc.ts';

export const transactionProcedures = router({
  /** Null where there is none. */
  find: operatorProcedure
    .input(tipQuery)
    .output(foundTip.nullable())
    .query(({ ctx, input }) => ctx.services.tipSupport.find(input.name)),

  refund: actProcedure
    .input(tipQuery)
    .output(tipRefund)
    .mutation(async ({ ctx, input }) => {
      const refunded = await ctx.services.tipSupport.refund(input.name, ctx.acts('tip_refunded'));
      if (!refunded) throw new AppError('transaction_not_found');
      return refunded;
    }),

  troubles: operatorProcedure
    .output(paymentTroubles)
    .query(({ ctx }) => ctx.services.tipSupport.listTroubles()),
});
