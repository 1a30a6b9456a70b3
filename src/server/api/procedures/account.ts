/** The procedures of one's own account: profile, sessions, export and closing. */
import { z } from 'zod';
import { emailKeyOf } from '#server/storage/rules/accounts.ts';
import { exportRequest } from '#shared/account-export.ts';
import { closing, closingAnswer, profileChange, session, user } from '#shared/accounts.ts';
import { operatorAct } from '#shared/operator-acts.ts';
import { exportAccount } from './account-export.ts';
import { rememberDevice, tryingPassword, tryPassword } from './auth.ts';
import { workOwner } from './context.ts';
import { endpoint } from './endpoint.ts';
import { SESSION, USER } from './examples.ts';
import { listedId, TIME_ZONE } from './parameters.ts';
import {
  confirmedProcedure,
  countedProcedure,
  FOR_SUSPENDED,
  signedInProcedure,
  withErrorsHeard,
} from './trpc.ts';

const ZIP_TYPE = 'application/zip';

export const accountProcedures = {
  updateProfile: endpoint(
    {
      rest: 'PATCH /auth/me',
      status: 200,
      summary: 'Change your profile',
      description: [
        'Changes what is sent, by the rules of the registration, and leaves the rest. A new email asks',
        'for `current_password`, a new username or phone number for a password that was typed a short',
        'while ago (`POST /auth/confirm`); wrong guesses count as those for a new password do. A change of',
        'the email counts as a try to register, 200 an hour from an address; other devices that have logged',
        'in before count as new ones after it, and the link that confirms the new email may be left out,',
        'where that got ten of them in a day. The',
        'username before stays yours: nobody else can ever take it, and it can be changed three times',
        'in 30 days. `service_categories` is the whole set: a service that is not in it is retired with',
        'its code, and the last one cannot be. A customer becomes a provider with `is_service_provider`',
        'and at least one category; a provider cannot become a customer.',
      ],
      takes: { profileChange },
      answers: { user },
      refusals: [
        'password_needed',
        'wrong_password',
        'email_taken',
        'username_taken',
        'username_changed_often',
        'too_many_requests',
      ],
      request: { full_name: 'Pat Doe', service_categories: ['bartender', 'dj'] },
      response: { ...USER, service_categories: ['bartender', 'dj'] },
    },
    countedProcedure('profile_change')
      .input(profileChange)
      .mutation(async ({ ctx, input }) => {
        const { accounts, limits, mail, sessions } = ctx.services;
        const { account, token } = ctx;
        const { username = account.username, email = account.email } = input;
        const change = async (isMailed: boolean) => {
          const user = await accounts.updateProfile(account, input, isMailed);
          ctx.arrival.noteChanges(account, user);
          return user;
        };
        const update = (isMailed: boolean) =>
          username === account.username
            ? change(isMailed)
            : limits.limitUsernameChange(account.id, () => change(isMailed));
        if (!accounts.isGuarded(account, input)) {
          if (accounts.isSensitive(account, input)) await sessions.requireRecentPassword(token);
          return update(false);
        }
        // It tells that an email is taken, as a registration does.
        await limits.countTry('registration', ctx.address(), null, ctx.quota);
        await limits.countPasswordChangeTry(token, ctx.quota);
        // A new email is mailed the link that confirms it, wherever that is; one in other letters is no new one.
        const isMailing = mail !== null && emailKeyOf(email) !== emailKeyOf(account.email);
        const user = await tryPassword(ctx, () =>
          !isMailing ? update(false) : limits.limitEmailChange({ id: account.id, email }, update),
        );
        await rememberDevice(ctx, user.email);
        return user;
      }),
  ),

  close: endpoint(
    {
      rest: 'POST /auth/me/closing',
      status: 200,
      summary: 'Close your account',
      description: [
        'Ends all of your sessions, and answers when the account is closed for good, in 7 days. Until',
        'then your codes take no tips, and logging in keeps the account open. After that your names,',
        'email, phone, tip pages and password are gone, your username goes to nobody, and the',
        'transactions of others tell of a closed account. `confirmation` is the word `close`. Wrong',
        'guesses count as those for a new password do.',
      ],
      takes: { closing },
      answers: { closingAnswer },
      refusals: ['wrong_password', 'too_many_requests'],
      request: { current_password: 'correct horse battery', confirmation: 'close' },
      response: { closes_at: '2026-05-22T12:00:00.000Z' },
    },
    tryingPassword(signedInProcedure)
      .meta(FOR_SUSPENDED)
      .input(closing)
      .mutation(async ({ ctx, input }) => {
        const closes = await tryPassword(ctx, () => ctx.services.accounts.close(ctx.account, input));
        ctx.arrival.note('closing_begun');
        return closes;
      }),
  ),

  /** The name of the file, then its bytes in pieces. */
  export: endpoint(
    {
      rest: 'GET /auth/me/export',
      status: 200,
      summary: 'Export everything about your account',
      description: [
        'A ZIP file of everything that is stored about you: your profile, where you are logged in and',
        'your codes as JSON, all of your transactions as JSON and as CSV, the payments that you began,',
        'the pictures of your codes and the photos of your tip pages, and JSON Schemas of the JSON',
        'files. A file in it says what is what, and what is missing and why. It is made while you read',
        'it; one that cannot be finished ends with the connection. You may ask for 10 an hour.',
      ],
      parameters: [
        {
          ...TIME_ZONE,
          description: 'An IANA name, for the dates and times of the CSV file; UTC without it.',
        },
      ],
      form: 'download',
      fileTypes: [ZIP_TYPE],
      refusals: ['password_needed', 'too_many_requests'],
    },
    countedProcedure('export', confirmedProcedure)
      .meta(FOR_SUSPENDED)
      .input(exportRequest)
      .subscription(({ ctx, input }) => {
        const { services, account, token } = ctx;
        ctx.arrival.note('export_made');
        return withErrorsHeard(
          exportAccount({
            owner: workOwner(ctx),
            services,
            account,
            token,
            timeZone: input?.timeZone ?? 'UTC',
          }),
        );
      }),
  ),

  sessions: endpoint(
    {
      rest: 'GET /auth/sessions',
      status: 200,
      summary: 'Where you are logged in',
      description: 'Your live sessions, the newest first.',
      answers: { session },
      isList: true,
      response: [SESSION],
    },
    signedInProcedure.query(({ ctx }) => ctx.services.sessions.list(ctx.account.id, ctx.token)),
  ),

  operatorActs: endpoint(
    {
      rest: 'GET /auth/me/operator-acts',
      status: 200,
      summary: 'What the operator did to your account',
      description: [
        'What whoever runs this server did to your account by hand, when, and the reason that was given:',
        'the newest 100, the newest first. Empty as a rule.',
      ],
      answers: { operatorAct },
      isList: true,
      response: [
        {
          action: 'sessions_ended',
          text: 'You were logged out everywhere.',
          reason: 'You told us that your phone was stolen.',
          at: '2026-05-15T12:00:00.000Z',
        },
      ],
    },
    signedInProcedure.query(({ ctx }) => ctx.services.accounts.listOperatorActs(ctx.account.id)),
  ),

  endSession: endpoint(
    {
      rest: 'DELETE /auth/sessions/:session_id',
      status: 204,
      summary: 'End a session',
      description: 'Ends one of your sessions, and its event streams.',
      parameters: [listedId('session_id', 'ses', 'sessions', SESSION.id)],
      refusals: ['password_needed', 'session_not_found'],
    },
    confirmedProcedure
      .meta(FOR_SUSPENDED)
      .input(z.object({ id: z.string().brand<'SessionId'>() }))
      .mutation(async ({ ctx, input }): Promise<null> => {
        await ctx.services.sessions.end(ctx.account.id, input.id);
        ctx.arrival.note('session_ended');
        return null;
      }),
  ),

  endOtherSessions: endpoint(
    {
      rest: 'DELETE /auth/sessions',
      status: 204,
      summary: 'Log out everywhere else',
      description: 'Ends all of your sessions but the one that asks, and their event streams.',
      refusals: ['password_needed'],
    },
    confirmedProcedure.meta(FOR_SUSPENDED).mutation(async ({ ctx }): Promise<null> => {
      await ctx.services.sessions.endOthers(ctx.account.id, ctx.token);
      ctx.arrival.note('other_sessions_ended');
      return null;
    }),
  ),
};
