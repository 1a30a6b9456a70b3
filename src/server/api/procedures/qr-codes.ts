/** A provider's QR codes, and whom a code tips. */

import { printRequest } from '#shared/print.ts';
import { endedQrCodesQuery, newQrCode, photoOfCode, qrCodeChange, qrCodeQuery } from '#shared/qr-codes.ts';
import { turnOwner } from './context.ts';
import {
  callerIfKnown,
  countedProcedure,
  providerProcedure,
  publicProcedure,
  router,
  signedInProcedure,
} from './trpc.ts';

export const qrCodesRouter = router({
  list: signedInProcedure.query(({ ctx }) => ctx.services.qrCodes.list(ctx.account, turnOwner(ctx))),

  ended: countedProcedure('lists')
    .input(endedQrCodesQuery)
    .query(({ ctx, input }) => ctx.services.qrCodes.listEnded(ctx.account, input)),

  create: providerProcedure.input(newQrCode).mutation(async ({ ctx, input }) => {
    await ctx.services.limits.countQrCode(ctx.account.id, ctx.quota);
    return ctx.services.qrCodes.create(ctx.account, input.serviceCategory, turnOwner(ctx));
  }),

  update: countedProcedure('tip_page_change')
    .input(qrCodeChange)
    .mutation(({ ctx, input }) => ctx.services.qrCodes.update(ctx.account, input, turnOwner(ctx))),

  setPhoto: countedProcedure('photo')
    .input(photoOfCode)
    .mutation(({ ctx, input }) =>
      ctx.services.qrCodes.setPhoto(ctx.account, input.id, input.photo, turnOwner(ctx)),
    ),

  removePhoto: countedProcedure('tip_page_change')
    .input(qrCodeQuery)
    .mutation(({ ctx, input }) => ctx.services.qrCodes.removePhoto(ctx.account, input.id, turnOwner(ctx))),

  replace: providerProcedure.input(qrCodeQuery).mutation(async ({ ctx, input }) => {
    await ctx.services.limits.countQrCode(ctx.account.id, ctx.quota);
    return ctx.services.qrCodes.replace(ctx.account, input.id, turnOwner(ctx));
  }),

  print: countedProcedure('print')
    .input(printRequest)
    .query(async ({ ctx, input: { id, ...request } }) => {
      const page = await ctx.services.qrCodes.findOwnPage(ctx.account, id);
      return ctx.services.printer.print(turnOwner(ctx), page, request);
    }),

  lookup: publicProcedure.input(qrCodeQuery).query(async ({ ctx, input }) => {
    const { qrCodes, tipMessages } = ctx.services;
    return tipMessages.seeCode(await qrCodes.lookup(input.id), await callerIfKnown(ctx));
  }),
});
