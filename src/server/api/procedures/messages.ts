/** Words between giver and receiver: thanks, and what a receiver does about what was written. */
import { giverQuery, messageHiding, readyThankYous, thankYouForTip, transactionQuery } from '#shared/tips.ts';
import { stepTerms } from './context.ts';
import { countedProcedure, router, signedInProcedure } from './trpc.ts';

const changeProcedure = countedProcedure('words');

export const wordsRouter = router({
  thank: changeProcedure
    .input(thankYouForTip)
    .mutation(({ ctx, input }) => ctx.services.tipMessages.thank(ctx.account, input.id, input.text)),

  hide: changeProcedure
    .input(messageHiding)
    .mutation(({ ctx, input }) => ctx.services.tipMessages.hide(ctx.account, input.id, input.hidden)),

  report: changeProcedure
    .input(transactionQuery)
    .mutation(({ ctx, input }) => ctx.services.tipMessages.report(ctx.account, input.id)),

  block: changeProcedure.input(transactionQuery).mutation(async ({ ctx, input }): Promise<null> => {
    await ctx.services.tipMessages.block(ctx.account, input.id);
    return null;
  }),

  unblock: changeProcedure.input(giverQuery).mutation(async ({ ctx, input }): Promise<null> => {
    await ctx.services.tipMessages.unblock(ctx.account, input.giverId);
    return null;
  }),

  blocked: countedProcedure('lists').query(({ ctx }) =>
    ctx.services.tipMessages.listBlocked(ctx.account, stepTerms(ctx)),
  ),

  thankYous: signedInProcedure.query(({ ctx }) => ctx.services.tipMessages.readyThankYous(ctx.account)),

  saveThankYous: changeProcedure
    .input(readyThankYous)
    .mutation(({ ctx, input }) => ctx.services.tipMessages.saveThankYous(ctx.account, input.texts)),
});
