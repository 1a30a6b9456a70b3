/** Registration, login, who am I, logout; and the care of one's own account: the password, and where it is logged in. */

import { z } from 'zod';
import { userFrom } from '#server/auth/accounts.ts';
import { deviceFrom } from '#server/auth/devices.ts';
import { credentials, passwordChange, registration } from '#shared/accounts.ts';
import { publicProcedure, router, signedInProcedure } from './trpc.ts';

export const authRouter = router({
  register: publicProcedure.input(registration).mutation(async ({ ctx, input }) => {
    await ctx.services.limits.countRegistration(ctx.address());
    return ctx.services.accounts.register(input);
  }),

  login: publicProcedure
    .input(credentials)
    .mutation(({ ctx, input }) =>
      ctx.services.limits.limitLogin(input.email, ctx.address(), () =>
        ctx.services.accounts.login(input, deviceFrom(ctx.userAgent)),
      ),
    ),

  me: signedInProcedure.query(({ ctx }) => userFrom(ctx.account)),

  logout: signedInProcedure.mutation(async ({ ctx }): Promise<null> => {
    await ctx.services.sessions.revoke(ctx.token);
    return null;
  }),

  /** Whoever guesses the present password is counted like whoever guesses at the login. */
  changePassword: signedInProcedure.input(passwordChange).mutation(async ({ ctx, input }): Promise<null> => {
    await ctx.services.limits.limitLogin(ctx.account.email, ctx.address(), () =>
      ctx.services.accounts.changePassword(ctx.account, input, ctx.token),
    );
    return null;
  }),

  sessions: signedInProcedure.query(({ ctx }) => ctx.services.sessions.list(ctx.account.id, ctx.token)),

  endSession: signedInProcedure
    .input(z.object({ id: z.string().brand<'SessionId'>() }))
    .mutation(async ({ ctx, input }): Promise<null> => {
      await ctx.services.sessions.end(ctx.account.id, input.id);
      return null;
    }),

  endOtherSessions: signedInProcedure.mutation(async ({ ctx }): Promise<null> => {
    await ctx.services.sessions.endOthers(ctx.account.id, ctx.token);
    return null;
  }),
});
