/** The part of the console about tips and payments. */
import type { AuditAction } from '#server/storage/port/audit.ts';
import {
  type DebtKind,
  foundTip,
  paymentTroubles,
  settlement,
  tipQuery,
  tipRefund,
} from '#shared/console/transactions.ts';
import { AppError } from '#shared/errors.ts';
import { cents } from '#shared/money.ts';
import { actProcedure, operatorProcedure, router } from './console-trpc.ts';

const ACTIONS = {
  owed_to_giver: 'refund_paid_otherwise',
  owed_by_receiver: 'debt_written_off',
  owed_to_receiver: 'dispute_paid_otherwise',
} as const satisfies Readonly<Record<DebtKind, AuditAction>>;

export const transactionProcedures = router({
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

  settle: actProcedure
    .input(settlement)
    .output(foundTip)
    .mutation(async ({ ctx, input: { name, debt, cents: seen } }) => {
      const { tipSupport } = ctx.services;
      const settled = await tipSupport.settle(name, debt, ctx.acts(ACTIONS[debt]), cents(seen));
      if (!settled) throw new AppError('transaction_not_found');
      return settled;
    }),

  troubles: operatorProcedure
    .output(paymentTroubles)
    .query(({ ctx }) => ctx.services.tipSupport.listTroubles()),
});
