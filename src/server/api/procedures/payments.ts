/** How a provider is paid: their account at the payment service. */
import { confirmedProcedure, providerProcedure, router } from './trpc.ts';

/** Each call may ask the payment service, and leads to where somebody's money goes. */
const countedProcedure = providerProcedure.concat(confirmedProcedure).use(async ({ ctx, next }) => {
  await ctx.services.limits.countChange('payout_link', ctx.account.id, ctx.quota);
  const result = await next();
  if (result.ok) ctx.arrival.note('payouts_opened');
  return result;
});

export const paymentsRouter = router({
  payoutStatus: providerProcedure.query(({ ctx }) => ctx.services.payouts.status(ctx.account)),

  onboard: countedProcedure.mutation(({ ctx }) => ctx.services.payouts.onboard(ctx.account)),

  openDashboard: countedProcedure.mutation(({ ctx }) => ctx.services.payouts.openDashboard(ctx.account)),
});
