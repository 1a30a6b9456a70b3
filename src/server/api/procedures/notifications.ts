/** The devices that tips reach with no page open. */
import { deviceChange, deviceQuery, newDevice } from '#shared/notifications.ts';
import { confirmedProcedure, countedProcedure, router, signedInProcedure } from './trpc.ts';

export const noticesRouter = router({
  key: signedInProcedure.query(({ ctx }) => ctx.services.notifications.key()),

  devices: signedInProcedure.query(({ ctx }) => ctx.services.notifications.list(ctx.account.id, ctx.token)),

  register: countedProcedure('notice_device', confirmedProcedure)
    .input(newDevice)
    .mutation(async ({ ctx, input }) => {
      const device = await ctx.services.notifications.register(ctx.account.id, ctx.token, input);
      ctx.arrival.note('device_registered');
      return device;
    }),

  update: countedProcedure('notice_device')
    .input(deviceChange)
    .mutation(({ ctx, input }) => ctx.services.notifications.update(ctx.account.id, ctx.token, input)),

  /** Its own device a session may remove as it may log out, without the password. */
  remove: countedProcedure('notice_device')
    .input(deviceQuery)
    .mutation(async ({ ctx, input }): Promise<null> => {
      const devices = await ctx.services.notifications.list(ctx.account.id, ctx.token);
      if (!devices.some(({ id, isCurrent }) => id === input.id && isCurrent))
        await ctx.services.sessions.requireRecentPassword(ctx.token);
      await ctx.services.notifications.remove(ctx.account.id, input.id);
      return null;
    }),

  test: countedProcedure('notice_test')
    .input(deviceQuery)
    .mutation(async ({ ctx, input }): Promise<null> => {
      await ctx.services.notifications.test(ctx.account.id, input.id);
      return null;
    }),
});
