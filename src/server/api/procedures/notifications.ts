/** The devices that are notified of tips. */

import { AppError } from '#shared/errors.ts';
import {
  deviceChange,
  deviceQuery,
  newDevice,
  noticeThanks,
  notificationDevice,
  notificationDeviceChange,
  pushKey,
} from '#shared/notifications.ts';
import { endpoint } from './endpoint.ts';
import { DEVICE, NEW_DEVICE, PROOF } from './examples.ts';
import { DEVICE_ID } from './parameters.ts';
import {
  confirmedProcedure,
  countedProcedure,
  FOR_SUSPENDED,
  publicProcedure,
  signedInProcedure,
} from './trpc.ts';

export const notificationProcedures = {
  key: endpoint(
    {
      rest: 'GET /notices/key',
      status: 200,
      summary: 'Get the key for notifications',
      description: [
        'The key by which push services know this server. A browser takes it as `applicationServerKey`',
        'when it is asked for a registration (`PushManager.subscribe`).',
      ],
      answers: { noticeKey: pushKey },
      response: { public_key: NEW_DEVICE.p256dh },
    },
    signedInProcedure.query(({ ctx }) => ctx.services.notifications.key()),
  ),

  devices: endpoint(
    {
      rest: 'GET /notices/devices',
      status: 200,
      summary: 'List the devices that get notifications',
      description: 'The newest first. Endpoints and keys are told to nobody.',
      answers: { noticeDevice: notificationDevice },
      isList: true,
      response: [DEVICE],
    },
    signedInProcedure.query(({ ctx }) => ctx.services.notifications.list(ctx.account.id, ctx.token)),
  ),

  register: endpoint(
    {
      rest: 'POST /notices/devices',
      status: 201,
      summary: 'Get notifications of tips',
      description: [
        'Takes what the browser answers to `PushManager.subscribe`. The device gets a notification of each',
        'tip that you receive from now on, also with no page open, until it is removed, its push',
        'service says that it is gone, or the session that asks ends. Many tips are one notification, which',
        'counts them. Registering the same device again is fine; of more than 20 the oldest goes. You',
        'may register and change devices 120 times an hour.',
      ],
      takes: { newDevice },
      answers: { noticeDevice: notificationDevice },
      refusals: ['password_needed', 'push_endpoint_refused', 'too_many_requests'],
      request: { ...NEW_DEVICE, with_words: true },
      response: DEVICE,
    },
    countedProcedure('notice_device', confirmedProcedure)
      .input(newDevice)
      .mutation(async ({ ctx, input }) => {
        const device = await ctx.services.notifications.register(ctx.account.id, ctx.token, input);
        ctx.arrival.note('device_registered');
        return device;
      }),
  ),

  update: endpoint(
    {
      rest: 'PATCH /notices/devices/:device_id',
      status: 200,
      summary: 'Change what notifications say',
      description: 'Changes what is sent of a device, and leaves the rest.',
      parameters: [DEVICE_ID],
      takes: { noticeDeviceChange: notificationDeviceChange },
      answers: { noticeDevice: notificationDevice },
      refusals: ['device_not_found', 'too_many_requests'],
      request: { with_words: false },
      response: { ...DEVICE, with_words: false },
    },
    countedProcedure('notice_device')
      .input(deviceChange)
      .mutation(({ ctx, input }) => ctx.services.notifications.update(ctx.account.id, ctx.token, input)),
  ),

  /** A session may remove its own device without the password, as it may log out. */
  remove: endpoint(
    {
      rest: 'DELETE /notices/devices/:device_id',
      status: 204,
      summary: 'Get no more notifications on a device',
      description: 'The endpoint and the keys of the device are forgotten.',
      parameters: [DEVICE_ID],
      refusals: ['password_needed', 'device_not_found', 'too_many_requests'],
    },
    countedProcedure('notice_device')
      .meta(FOR_SUSPENDED)
      .input(deviceQuery)
      .mutation(async ({ ctx, input }): Promise<null> => {
        const devices = await ctx.services.notifications.list(ctx.account.id, ctx.token);
        if (!devices.some(({ id, isCurrent }) => id === input.id && isCurrent))
          await ctx.services.sessions.requireRecentPassword(ctx.token);
        await ctx.services.notifications.remove(ctx.account.id, input.id);
        return null;
      }),
  ),

  test: endpoint(
    {
      rest: 'POST /notices/devices/:device_id/test',
      status: 204,
      summary: 'Try a device out',
      description: [
        'Sends a notification that says nothing of tips. The request has no body. It is answered when the',
        'push service has the notification; `device_not_found` also when the push service does not know the',
        'device any more. You may try 10 times an hour.',
      ],
      parameters: [DEVICE_ID],
      refusals: ['device_not_found', 'push_unavailable', 'too_many_requests'],
    },
    countedProcedure('notice_test')
      .input(deviceQuery)
      .mutation(async ({ ctx, input }): Promise<null> => {
        await ctx.services.notifications.test(ctx.account.id, input.id);
        return null;
      }),
  ),

  /** The worker that shows notifications has no session. */
  thank: endpoint(
    {
      rest: 'POST /notices/thank',
      status: 204,
      summary: 'Thank from a notification',
      description: [
        'Sends one of the thank-yous that a notification of a tip offered. The proof stands in the',
        'notification, inside the encrypted push message, and does nothing else. It ends with the session of',
        'the device, after a day, and when you choose other thank-yous; every wrong proof is refused alike,',
        'and not worth another try. Sent again, the same is answered as at first. An address may try 30 times',
        'in a minute.',
      ],
      takes: { noticeThanks },
      refusals: ['thanks_refused', 'thanked_already', 'too_many_requests'],
      request: { proof: PROOF, choice: 0 },
    },
    publicProcedure
      .use(async ({ ctx, next }) => {
        await ctx.services.limits.countGuest('notice_thanks', ctx.address(), ctx.quota);
        return next();
      })
      .input(noticeThanks)
      .mutation(async ({ ctx: { services, arrival, quota }, input }): Promise<null> => {
        const { userId, transactionId, text } = await services.notifications.readThanks(input);
        arrival.identify(userId);
        await services.limits.countChange('words', userId, quota);
        try {
          await services.tipMessages.thank({ id: userId }, transactionId, text);
        } catch (error) {
          // The app, which a refused proof leads to, says why.
          if (!(error instanceof AppError) || error.code !== 'account_suspended') throw error;
          throw new AppError('thanks_refused', { cause: error });
        }
        return null;
      }),
  ),
};
