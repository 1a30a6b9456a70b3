/** Registration, login, who am I, logout; and the care of one's own account: the password, where it is logged in, export and closing. */

import { z } from 'zod';
import { userFrom } from '#server/auth/accounts.ts';
import { deviceFrom } from '#server/auth/devices.ts';
import { exportRequest } from '#shared/account-export.ts';
import {
  closing,
  confirmation,
  credentials,
  passwordChange,
  profileChange,
  registration,
  SAME_PASSWORD,
} from '#shared/accounts.ts';
import { AppError } from '#shared/errors.ts';
import { exportAccount } from './account-export.ts';
import { turnOwner } from './context.ts';
import {
  anyPasswordProcedure,
  confirmedProcedure,
  countedProcedure,
  publicProcedure,
  router,
  signedInProcedure,
  withErrorsHeard,
} from './trpc.ts';

/** Counts each request before its input is parsed, so that parsing is bounded as well. */
const tryingTo = (what: 'login' | 'registration') =>
  publicProcedure.use(async ({ ctx, next }) => {
    await ctx.services.limits.countTry(what, { ...ctx.address(), device: ctx.device.mark.id }, ctx.quota);
    return next();
  });

/** Counts requests by session, because somebody with many accounts could fill the queue for hashing again and again. */
const tryingToChangePassword = anyPasswordProcedure.use(async ({ ctx, next }) => {
  await ctx.services.limits.countPasswordChangeTry(ctx.token, ctx.quota);
  return next();
});

export const authRouter = router({
  register: tryingTo('registration')
    .input(registration)
    .mutation(async ({ ctx, input }) => {
      const { accounts, limits, hashingTurns } = ctx.services;
      const caller = { ...ctx.address(), device: null };
      const owner = { origin: caller.network, account: input.email, isKnown: false };
      const user = await hashingTurns.take(owner, () =>
        limits.limitRegistration(caller, () => accounts.register(input)),
      );
      ctx.arrival.note('account_registered', user.id);
      return user;
    }),

  login: tryingTo('login')
    .input(credentials)
    .use(async ({ ctx, input, next }) => {
      const result = await next();
      if (!result.ok)
        ctx.arrival.noteRefusedLogin(result.error.cause, input.email, ctx.services.accounts.idOf);
      return result;
    })
    .mutation(async ({ ctx, input }) => {
      const { accounts, limits, hashingTurns } = ctx.services;
      const { email } = input;
      const { mark } = ctx.device;
      const caller = { ...ctx.address(), device: mark.isOf(email) ? mark.id : null };
      const account = email.toLowerCase();
      // A known device takes the turns of its account, and none of those that its network has.
      const isKnown = caller.device !== null;
      const origin = isKnown ? account : caller.network;
      const login = await hashingTurns.take({ origin, account, isKnown }, () =>
        limits.limitLogin(email, caller, () => accounts.login(input, deviceFrom(ctx.userAgent))),
      );
      mark.remember(email);
      ctx.arrival.noteLogin(login);
      return login;
    }),

  me: anyPasswordProcedure.query(({ ctx }) => userFrom(ctx.account)),

  updateProfile: countedProcedure('profile_change')
    .input(profileChange)
    .mutation(async ({ ctx, input }) => {
      const { accounts, limits, hashingTurns, sessions } = ctx.services;
      const { account, token } = ctx;
      const { username = account.username } = input;
      const change = async () => {
        const user = await accounts.updateProfile(account, input);
        ctx.arrival.noteChanges(account, user);
        return user;
      };
      const update = () =>
        username === account.username ? change() : limits.limitUsernameChange(account.id, change);
      if (!accounts.isGuarded(account, input)) {
        if (accounts.isSensitive(account, input)) await sessions.requireRecentPassword(token);
        return update();
      }
      await limits.countPasswordChangeTry(token, ctx.quota);
      const owner = { origin: account.email, account: account.email, isKnown: true };
      const user = await hashingTurns.take(owner, () =>
        limits.limitPasswordChange(account.email, token, update),
      );
      ctx.device.mark.remember(user.email);
      return user;
    }),

  logout: anyPasswordProcedure.mutation(async ({ ctx }): Promise<null> => {
    await ctx.services.sessions.revoke(ctx.token);
    ctx.arrival.note('session_ended');
    return null;
  }),

  confirm: tryingToChangePassword.input(confirmation).mutation(async ({ ctx, input }): Promise<null> => {
    const { accounts, limits, hashingTurns } = ctx.services;
    const { account, token } = ctx;
    const owner = { origin: account.email, account: account.email, isKnown: true };
    await hashingTurns.take(owner, () =>
      limits.limitPasswordChange(account.email, token, () => accounts.confirm(account, input, token)),
    );
    ctx.arrival.note('password_confirmed');
    return null;
  }),

  changePassword: tryingToChangePassword.input(passwordChange).mutation(async ({ ctx, input }) => {
    const { accounts, limits, hashingTurns } = ctx.services;
    const { account, token } = ctx;
    const owner = { origin: account.email, account: account.email, isKnown: true };
    const login = await hashingTurns.take(owner, () =>
      limits.limitPasswordChange(account.email, token, () => accounts.changePassword(account, input, token)),
    );
    if (login === null)
      throw new AppError('invalid_input', {
        fieldErrors: [{ field: 'newPassword', message: SAME_PASSWORD }],
      });
    ctx.arrival.note('password_changed');
    return login;
  }),

  close: signedInProcedure
    .use(async ({ ctx, next }) => {
      await ctx.services.limits.countPasswordChangeTry(ctx.token, ctx.quota);
      return next();
    })
    .input(closing)
    .mutation(async ({ ctx, input }) => {
      const { accounts, limits, hashingTurns } = ctx.services;
      const { account, token } = ctx;
      const owner = { origin: account.email, account: account.email, isKnown: true };
      const closes = await hashingTurns.take(owner, () =>
        limits.limitPasswordChange(account.email, token, () => accounts.close(account, input)),
      );
      ctx.arrival.note('closing_begun');
      return closes;
    }),

  /** The name of the file, then its bytes in pieces. */
  export: countedProcedure('export', confirmedProcedure)
    .input(exportRequest)
    .subscription(({ ctx, input }) => {
      const { services, account, token } = ctx;
      ctx.arrival.note('export_made');
      return withErrorsHeard(
        exportAccount({
          owner: turnOwner(ctx),
          services,
          account,
          token,
          timeZone: input?.timeZone ?? 'UTC',
        }),
      );
    }),

  sessions: signedInProcedure.query(({ ctx }) => ctx.services.sessions.list(ctx.account.id, ctx.token)),

  endSession: confirmedProcedure
    .input(z.object({ id: z.string().brand<'SessionId'>() }))
    .mutation(async ({ ctx, input }): Promise<null> => {
      await ctx.services.sessions.end(ctx.account.id, input.id);
      ctx.arrival.note('session_ended');
      return null;
    }),

  endOtherSessions: confirmedProcedure.mutation(async ({ ctx }): Promise<null> => {
    await ctx.services.sessions.endOthers(ctx.account.id, ctx.token);
    ctx.arrival.note('other_sessions_ended');
    return null;
  }),
});
