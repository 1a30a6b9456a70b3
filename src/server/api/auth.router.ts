/** Registration, login, who am I, logout. */
import { userFrom } from '#server/auth/accounts.ts';
import { credentials, registration } from '#shared/accounts.ts';
import { publicProcedure, router, signedInProcedure } from './trpc.ts';

export const authRouter = router({
  register: publicProcedure.input(registration).mutation(async ({ ctx, input }) => {
    await ctx.limits.countRegistration(ctx.address);
    return ctx.accounts.register(input);
  }),

  login: publicProcedure
    .input(credentials)
    .mutation(({ ctx, input }) =>
      ctx.limits.limitLogin(input.email, ctx.address, () => ctx.accounts.login(input)),
    ),

  me: signedInProcedure.query(({ ctx }) => userFrom(ctx.account)),

  logout: signedInProcedure.mutation(async ({ ctx }): Promise<null> => {
    await ctx.sessions.revoke(ctx.token);
    return null;
  }),
});
