/** A provider's QR codes, and whom a code tips. */
import { newQrCode, qrCodeQuery } from '#shared/qr-codes.ts';
import { providerProcedure, publicProcedure, router, signedInProcedure } from './trpc.ts';

export const qrCodesRouter = router({
  list: signedInProcedure.query(({ ctx }) => ctx.services.qrCodes.list(ctx.account)),

  create: providerProcedure.input(newQrCode).mutation(async ({ ctx, input }) => {
    await ctx.services.limits.countQrCode(ctx.account.id);
    return ctx.services.qrCodes.create(ctx.account, input.serviceCategory);
  }),

  lookup: publicProcedure.input(qrCodeQuery).query(({ ctx, input }) => ctx.services.qrCodes.lookup(input.id)),
});
