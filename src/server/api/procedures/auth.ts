/** Registration, login, logout and password. */
import { z } from 'zod';
import { userFrom } from '#server/auth/accounts.ts';
import { deviceFrom } from '#server/auth/devices.ts';
import type { Caller, Tried } from '#server/limits/limits.ts';
import type { WorkOwner } from '#server/queue/work-queue.ts';
import type { Account } from '#server/storage/port/storage.ts';
import {
  confirmation,
  credentials,
  login,
  passwordChange,
  registration,
  SAME_PASSWORD,
  user,
} from '#shared/accounts.ts';
import { announcements } from '#shared/announcements.ts';
import { invalidField } from '#shared/invalid-field.ts';
import type { Context } from './context.ts';
import { endpoint } from './endpoint.ts';
import { LOGIN, USER } from './examples.ts';
import { anyPasswordProcedure, FOR_SUSPENDED, publicProcedure, signedInProcedure } from './trpc.ts';

/** The token type of OAuth (RFC 6749, section 5.1). */
export const TOKEN_TYPE = 'bearer';
export const restLogin = login.extend({ tokenType: z.literal(TOKEN_TYPE) });

/** Counts each request before its input is parsed, so that parsing is limited as well. */
export const tryingTo = (what: Tried) =>
  publicProcedure.use(async ({ ctx, next }) => {
    await ctx.services.limits.countTry(what, ctx.address(), ctx.device.mark.id, ctx.quota);
    return next();
  });

/** Counts by session, because somebody with many accounts could fill the queue for hashing again and again. */
export const tryingPassword = (procedure = anyPasswordProcedure) =>
  procedure.use(async ({ ctx, next }) => {
    await ctx.services.limits.countPasswordChangeTry(ctx.token, ctx.quota);
    return next();
  });

/** Whom limits count for an attempt on an account: a device that has logged in to it before has counts of its own. */
export async function callerTo(ctx: Context, email: string): Promise<Caller> {
  const { id, isOf } = ctx.device.mark;
  // Nothing is read for a device without a mark before it has its turn.
  const marksFromMs = id === null ? 0 : await ctx.services.accounts.marksFrom(email);
  return { ...ctx.address(), device: id !== null && isOf(email, marksFromMs) ? { id, marksFromMs } : null };
}

/** Notes in the mark of a device that it knows an account whose marks the request has just ended. */
export async function rememberDevice({ device, services }: Context, email: string): Promise<void> {
  device.mark.remember(email, await services.accounts.marksFrom(email));
}

/** @param account an email, or whatever else a password is for. */
export function hashingOwner({ address, onHangUp }: Context, account: string, isKnown: boolean): WorkOwner {
  return { origin: address().network, account: account.toLowerCase(), isKnown, onHangUp };
}

/**
 * Tries the present password of whoever is logged in, which takes a turn and is limited.
 * @param attempt verifies it before it changes anything.
 */
export function tryPassword<Result>(
  ctx: Context & { readonly account: Account; readonly token: string },
  attempt: () => Promise<Result>,
): Promise<Result> {
  const { account, services, token } = ctx;
  const owner = hashingOwner(ctx, account.email, true);
  return services.hashingQueue.take(owner, () => services.limits.limitPasswordChange(token, attempt));
}

export const authProcedures = {
  register: endpoint(
    {
      rest: 'POST /auth/register',
      status: 201,
      summary: 'Create an account',
      description: [
        'Answers the user, without a token: log in next. A service provider names at least one',
        'category; for a customer `service_categories` is ignored.',
      ],
      takes: { registration },
      answers: { user },
      refusals: ['email_taken', 'username_taken', 'too_many_requests'],
      refusalsByRegistration: {
        closed: ['registration_closed'],
        invite: ['invitation_required', 'invitation_invalid', 'invitation_for_another'],
      },
      request: {
        email: 'pat@example.com',
        username: 'pat',
        full_name: 'Pat Doe',
        password: 'correct horse battery',
        phone: null,
        is_service_provider: true,
        service_categories: ['bartender'],
      },
      response: { ...USER, total_tips_received: 0, total_tips_received_minor: 0, day_start_hour: null },
    },
    tryingTo('registration')
      .input(registration)
      .mutation(async ({ ctx, input }) => {
        const { accounts, limits, hashingQueue, mail } = ctx.services;
        const caller = ctx.address();
        if (input.invitation !== undefined) await limits.countLinkUse(caller, ctx.quota);
        const owner = hashingOwner(ctx, input.email, false);
        const register = (isMailed: boolean) => accounts.register(input, isMailed);
        const user = await hashingQueue.take(owner, () =>
          limits.limitRegistration(caller, () =>
            mail === null ? register(false) : limits.limitConfirmationBeside(input.email, register),
          ),
        );
        ctx.arrival.note('account_registered', user.id);
        return user;
      }),
  ),

  login: endpoint(
    {
      rest: 'POST /auth/login',
      status: 200,
      summary: 'Log in',
      description: [
        'Answers a bearer token. It ends at `expires_at` unless it is used before, or by logging out. An',
        'account with a passkey or an authenticator app needs a `code` as well: of the app, or a recovery',
        'code. Without one a right password is refused with `second_factor_needed`; send it again with the',
        'code. Each code works once. Wrong codes count as wrong passwords do.',
      ],
      takes: { credentials },
      answers: { login: restLogin },
      adds: { tokenType: TOKEN_TYPE },
      refusals: ['wrong_credentials', 'second_factor_needed', 'wrong_code', 'too_many_requests'],
      request: { email: 'pat@example.com', password: 'correct horse battery' },
      response: LOGIN,
    },
    tryingTo('login')
      .input(credentials)
      .use(async ({ ctx, input, next }) => {
        const result = await next();
        if (!result.ok)
          ctx.arrival.noteRefusedLogin(result.error.cause, input.email, ctx.services.accounts.idOf);
        return result;
      })
      .mutation(async ({ ctx, input }) => {
        const { accounts, logins, limits, hashingQueue } = ctx.services;
        const { email } = input;
        const { mark } = ctx.device;
        const caller = await callerTo(ctx, email);
        // A known device takes none of the turns that strangers at its network have.
        const isKnown = caller.device !== null;
        const owner = hashingOwner(ctx, email, isKnown);
        const { login, marksFromMs } = await hashingQueue.take(owner, () =>
          limits.limitLogin(email, caller, async () => ({
            // Read before the password is: a new one that comes between ends the mark of this login, too.
            marksFromMs: await accounts.marksFrom(email),
            login: await logins.byPassword(input, deviceFrom(ctx.userAgent), !isKnown),
          })),
        );
        mark.remember(email, marksFromMs);
        ctx.arrival.noteLogin(login, 'password');
        return login;
      }),
  ),

  logout: endpoint(
    {
      rest: 'POST /auth/logout',
      status: 204,
      summary: 'Log out',
      description: [
        'Ends the session of the token that was sent. After a 503 it has ended as well, but a restart',
        'of the server may bring it back until it could be saved.',
      ],
    },
    anyPasswordProcedure.meta(FOR_SUSPENDED).mutation(async ({ ctx }): Promise<null> => {
      await ctx.services.sessions.revoke(ctx.token);
      ctx.arrival.note('session_ended');
      return null;
    }),
  ),

  me: endpoint(
    {
      rest: 'GET /auth/me',
      status: 200,
      summary: 'Who am I',
      description: 'The user whose token was sent, with present totals.',
      answers: { user },
      response: USER,
    },
    anyPasswordProcedure.query(async ({ ctx }) =>
      userFrom(ctx.account, await ctx.services.factorDuty.isOpen(ctx.account)),
    ),
  ),

  announcements: endpoint(
    {
      rest: 'GET /announcements',
      status: 200,
      summary: 'See what the operator announces',
      description: [
        'The text that the operator shows to everybody who is logged in, whether tips are paused for',
        'maintenance, and whether your account is suspended: since when and why. Null where there is none.',
        'While an account is suspended, no tips are given or received with it, and its API keys do nothing. It',
        'can be read, secured (password, sessions, second factors), exported and closed, its email confirmed,',
        'tips refunded or given up, and their receipts mailed, what was earned paid out, and its API keys,',
        'webhooks and devices taken away. All else that changes something is refused.',
      ],
      answers: { announcements },
      response: {
        announcement: {
          text: 'Payouts arrive a day late this week.',
          from: '2024-06-03T06:00:00.000Z',
          until: '2024-06-08T06:00:00.000Z',
        },
        maintenance: null,
        suspension: null,
      },
    },
    signedInProcedure.query(({ ctx }) => ctx.services.announcements(ctx.account)),
  ),

  confirm: endpoint(
    {
      rest: 'POST /auth/confirm',
      status: 204,
      summary: 'Type your password again',
      description: [
        'Some acts ask for a password that was typed within the last 15 minutes, by logging in or here:',
        'they change a username, a phone number, devices, API keys, webhooks, second factors or how you are',
        'paid, end sessions, or export your account. Otherwise they answer `password_needed`; confirm, and',
        'send them again. Wrong guesses count as those for a new password do.',
      ],
      takes: { confirmation },
      refusals: ['wrong_password', 'too_many_requests'],
      request: { password: 'correct horse battery' },
    },
    tryingPassword()
      .meta(FOR_SUSPENDED)
      .input(confirmation)
      .mutation(async ({ ctx, input }): Promise<null> => {
        const { account, token, services } = ctx;
        await tryPassword(ctx, () => services.accounts.confirm(account, input, token));
        ctx.arrival.note('password_confirmed');
        return null;
      }),
  ),

  changePassword: endpoint(
    {
      rest: 'POST /auth/password',
      status: 200,
      summary: 'Change your password',
      description: [
        'Ends all of your other sessions, and answers a new token for the one that asks: the old one is',
        'worthless from then on. Other devices that have logged in before count as new ones. Wrong guesses',
        'count for this session alone. The new password has to be another one than the present one. Without',
        '`current_password` only one that the operator made is changed (`must_change_password`), in a session',
        'in which a login or `POST /auth/confirm/passkey` is at most 15 minutes old.',
      ],
      takes: { passwordChange },
      answers: { login: restLogin },
      adds: { tokenType: TOKEN_TYPE },
      refusals: ['password_needed', 'wrong_password', 'too_many_requests'],
      request: { current_password: 'correct horse battery', new_password: 'a better horse battery' },
      response: LOGIN,
    },
    tryingPassword()
      .meta(FOR_SUSPENDED)
      .input(passwordChange)
      .mutation(async ({ ctx, input }) => {
        const { account, token, services } = ctx;
        const login = await tryPassword(ctx, () => services.accounts.changePassword(account, input, token));
        if (login === null) throw invalidField('newPassword', SAME_PASSWORD);
        await rememberDevice(ctx, account.email);
        ctx.arrival.note('password_changed');
        return login;
      }),
  ),
};
