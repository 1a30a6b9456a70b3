/** Words between giver and receiver: thanks, and what a receiver does about what was written. */
import { giverQuery, hiddenWords, readyThankYous, thankYouForTip, transactionQuery } from '#shared/tips.ts';
import { router, signedInProcedure } from './trpc.ts';

const countedProcedure = signedInProcedure.use(async ({ ctx, next }) => {
  await ctx.services.limits.countChange('words', ctx.account.id, ctx.quota);
  return next();
});

export const wordsRouter = router({
  thank: countedProcedure
    .input(thankYouForTip)
    .mutation(({ ctx, input }) => ctx.services.tipWords.thank(ctx.account, input.id, input.text)),

  hide: countedProcedure
    .input(hiddenWords)
    .mutation(({ ctx, input }) => ctx.services.tipWords.hide(ctx.account, input.id, input.hidden)),

  report: countedProcedure
    .input(transactionQuery)
    .mutation(({ ctx, input }) => ctx.services.tipWords.report(ctx.account, input.id)),

  block: countedProcedure.input(transactionQuery).mutation(async ({ ctx, input }): Promise<null> => {
    await ctx.services.tipWords.block(ctx.account, input.id);
    return null;
  }),

  unblock: countedProcedure.input(giverQuery).mutation(async ({ ctx, input }): Promise<null> => {
    await ctx.services.tipWords.unblock(ctx.account, input.giverId);
    return null;
  }),

  blocked: signedInProcedure.query(({ ctx }) => ctx.services.tipWords.listBlocked(ctx.account)),

  thankYous: signedInProcedure.query(({ ctx }) => ctx.services.tipWords.readyThankYous(ctx.account)),

  saveThankYous: countedProcedure
    .input(readyThankYous)
    .mutation(({ ctx, input }) => ctx.services.tipWords.saveThankYous(ctx.account, input.texts)),
});
