/** The part of the console about QR codes. */
import { codeQuery, foundCode } from '#shared/console/codes.ts';
import { AppError } from '#shared/errors.ts';
import { actProcedure, operatorProcedure, router } from './console-trpc.ts';

export const codeProcedures = router({
  find: operatorProcedure
    .input(codeQuery)
    .output(foundCode.nullable())
    .query(({ ctx, input }) => ctx.services.codeSupport.find(input.name)),

  stop: actProcedure
    .input(codeQuery)
    .output(foundCode)
    .mutation(async ({ ctx, input }) => {
      const stopped = await ctx.services.codeSupport.stop(input.name, ctx.acts('code_stopped'));
      if (!stopped) throw new AppError('qr_code_not_found');
      return stopped;
    }),
});
