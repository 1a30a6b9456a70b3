/** Tips: giving one, and what was sent and received. */
import { newTip, summaryQuery, transactionsQuery } from '#shared/tips.ts';
import { router, signedInProcedure, tippingProcedure } from './trpc.ts';

export const transactionsRouter = router({
  create: tippingProcedure.input(newTip).mutation(async ({ ctx, input }) => {
    await ctx.limits.countTip(ctx.account.id);
    return ctx.transactions.create(ctx.account, input);
  }),

  list: signedInProcedure
    .input(transactionsQuery)
    .query(({ ctx, input }) => ctx.transactions.list(ctx.account, input)),

  summary: signedInProcedure
    .input(summaryQuery)
    .query(({ ctx, input }) => ctx.transactions.summarise(ctx.account, input.timeZone)),
});
