/** Registration, login, who am I, logout; and the care of one's own account: the password, and where it is logged in. */

import { z } from 'zod';
import { userFrom } from '#server/auth/accounts.ts';
import { deviceFrom } from '#server/auth/devices.ts';
import { credentials, passwordChange, registration } from '#shared/accounts.ts';
import { publicProcedure, router, signedInProcedure } from './trpc.ts';

export const authRouter = router({
  register: publicProcedure.input(registration).mutation(async ({ ctx, input }) => {
    await ctx.limits.countRegistration(ctx.address);
    return ctx.accounts.register(input);
  }),

  login: publicProcedure
    .input(credentials)
    .mutation(({ ctx, input }) =>
      ctx.limits.limitLogin(input.email, ctx.address, () =>
        ctx.accounts.login(input, deviceFrom(ctx.userAgent)),
      ),
    ),

  me: signedInProcedure.query(({ ctx }) => userFrom(ctx.account)),

  logout: signedInProcedure.mutation(async ({ ctx }): Promise<null> => {
    await ctx.sessions.revoke(ctx.token);
    return null;
  }),

  /** Whoever guesses the present password is counted like whoever guesses at the login. */
  changePassword: signedInProcedure.input(passwordChange).mutation(async ({ ctx, input }): Promise<null> => {
    await ctx.limits.limitLogin(ctx.account.email, ctx.address, () =>
      ctx.accounts.changePassword(ctx.account, input, ctx.token),
    );
    return null;
  }),

  sessions: signedInProcedure.query(({ ctx }) => ctx.sessions.list(ctx.account.id, ctx.token)),

  endSession: signedInProcedure
    .input(z.object({ id: z.string().brand<'SessionId'>() }))
    .mutation(async ({ ctx, input }): Promise<null> => {
      await ctx.sessions.end(ctx.account.id, input.id);
      return null;
    }),

  endOtherSessions: signedInProcedure.mutation(async ({ ctx }): Promise<null> => {
    await ctx.sessions.endOthers(ctx.account.id, ctx.token);
    return null;
  }),
});
