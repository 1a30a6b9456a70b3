/** Links in mails, and what an account's owner is mailed. */

import { AppError } from '#shared/errors.ts';
import { invalidField } from '#shared/invalid-field.ts';
import {
  emailConfirmation,
  forgottenPassword,
  type MailSettings,
  mailSettings,
  mailSettingsChange,
  passwordReset,
  receiptRequest,
} from '#shared/mail.ts';
import { wasGiven } from '#shared/tip-states.ts';
import { callerTo, hashingOwner, rememberDevice } from './auth.ts';
import { mailOf } from './context.ts';
import { endpoint } from './endpoint.ts';
import { MAIL_SETTINGS } from './examples.ts';
import { TRANSACTION_ID } from './parameters.ts';
import { actOfPartyProcedure } from './transactions.ts';
import { countedProcedure, FOR_SUSPENDED, middleware, publicProcedure, signedInProcedure } from './trpc.ts';

const TOKEN = 'q0Hn3vVJx8b2kYw5cZr7LmT1uFgE9dSaPoIiXyKjQhA';

/** Counts each use of a link before its token is read. */
const countLinkUse = middleware(async ({ ctx, next }) => {
  await ctx.services.limits.countLinkUse(ctx.address(), ctx.quota);
  return next();
});

export const mailProcedures = {
  forgotPassword: endpoint(
    {
      rest: 'POST /auth/password/forgotten',
      status: 204,
      summary: 'Ask for a link to choose a new password',
      description: [
        'Sends the link by email, if there is an account with this one. The answer is the same for any',
        'email. The link works once, for one hour. You may ask three times an hour and ten times a day for',
        'an email.',
      ],
      takes: { forgottenPassword },
      refusals: ['mail_off', 'mail_busy', 'too_many_requests'],
      request: { email: 'pat@example.com' },
    },
    publicProcedure.input(forgottenPassword).mutation(async ({ ctx, input: { email } }): Promise<null> => {
      const mail = mailOf(ctx);
      await ctx.services.limits.countPasswordLink(email, await callerTo(ctx, email), ctx.quota);
      await mail.sendPasswordLink(email);
      ctx.arrival.note('password_link_asked', null, email);
      return null;
    }),
  ),

  resetPassword: endpoint(
    {
      rest: 'POST /auth/password/reset',
      status: 204,
      summary: 'Choose a new password by a link',
      description: [
        'Takes the token at the end of the link, behind `#`. Ends all sessions of the account, and',
        'counts none of the devices that have logged in before as known any more. Where nobody had',
        'confirmed the email before, it also ends passkeys, the authenticator app, recovery codes, API keys',
        'and webhooks, because somebody else may have set them up; an email says which there were. Log in',
        'with the new password next.',
      ],
      takes: { passwordReset },
      refusals: ['link_ended', 'too_many_requests'],
      request: { token: TOKEN, new_password: 'a better horse battery' },
    },
    publicProcedure
      .use(countLinkUse)
      .input(passwordReset)
      .mutation(async ({ ctx, input }): Promise<null> => {
        const { factors, mailLinks, limits, hashingQueue } = ctx.services;
        const { userId, email } = await hashingQueue.take(hashingOwner(ctx, input.token, false), () =>
          mailLinks.resetPassword(input),
        );
        ctx.arrival.note('password_reset', userId);
        // Else each link would bring whoever reads the mailbox the guesses of all places, and not of one device.
        if (!(await factors.hasAny({ kind: 'account', id: userId }))) await limits.unlock(email);
        await rememberDevice(ctx, email);
        return null;
      }),
  ),

  confirmEmail: endpoint(
    {
      rest: 'POST /auth/email/confirmed',
      status: 204,
      summary: 'Confirm your email by a link',
      description: [
        'Takes the token at the end of the link, behind `#`, of the account that is logged in. The link',
        'works once, for 7 days.',
      ],
      takes: { emailConfirmation },
      refusals: ['link_of_another', 'link_ended', 'too_many_requests'],
      request: { token: TOKEN },
    },
    signedInProcedure
      .use(countLinkUse)
      .meta(FOR_SUSPENDED)
      .input(emailConfirmation)
      .mutation(async ({ ctx, input }): Promise<null> => {
        await ctx.services.mailLinks.confirmEmail(ctx.account.id, input.token);
        ctx.arrival.note('email_confirmed');
        return null;
      }),
  ),

  sendConfirmation: endpoint(
    {
      rest: 'POST /auth/me/mail/confirmation',
      status: 200,
      summary: 'Ask for the link that confirms your email',
      description: [
        'Sends it to the email of your account, unless that was confirmed before and takes emails. The',
        'request has no body. You may ask five times a day, and one email gets ten such links a day.',
      ],
      answers: { mailSettings },
      refusals: ['mail_off', 'mail_busy', 'too_many_requests'],
      response: { ...MAIL_SETTINGS, confirmed_at: null },
    },
    signedInProcedure.meta(FOR_SUSPENDED).mutation(async ({ ctx }): Promise<MailSettings> => {
      const mail = mailOf(ctx);
      const { limits } = ctx.services;
      return limits.limitConfirmationMail(ctx.account, () => mail.sendConfirmation(ctx.account));
    }),
  ),

  mailSettings: endpoint(
    {
      rest: 'GET /auth/me/mail',
      status: 200,
      summary: 'See what you are emailed',
      description: [
        'Whether your email is confirmed, what the mail server said when it refused it, and whether you',
        'get a monthly statement. An email that was never confirmed gets nothing but the links that',
        'confirm it or lead to a new password.',
      ],
      answers: { mailSettings },
      refusals: ['mail_off'],
      response: MAIL_SETTINGS,
    },
    signedInProcedure.query(({ ctx }) => mailOf(ctx).settingsOf(ctx.account)),
  ),

  changeMailSettings: endpoint(
    {
      rest: 'PATCH /auth/me/mail',
      status: 200,
      summary: 'Change what you are emailed',
      description: [
        'A monthly statement comes in the first days of a month, to a confirmed email, when you received',
        'tips in the month before. It ends with one click in any of them, too.',
      ],
      takes: { mailSettingsChange },
      answers: { mailSettings },
      refusals: ['mail_off', 'providers_only', 'too_many_requests'],
      request: { monthly_statement: true, time_zone: 'Europe/Vienna' },
      response: MAIL_SETTINGS,
    },
    countedProcedure('mail_settings')
      .input(mailSettingsChange)
      .mutation(({ ctx, input }) => {
        const mail = mailOf(ctx);
        if (!ctx.account.isServiceProvider) throw new AppError('providers_only');
        return mail.changeSettings(ctx.account, input);
      }),
  ),
};

export const receiptProcedures = {
  mailReceipt: endpoint(
    {
      rest: 'POST /transactions/:transaction_id/receipt-mail',
      status: 204,
      summary: 'Get the receipt by email',
      description: [
        'For whoever gave the tip, once it is paid. With an account, it goes to your confirmed email; a',
        'guest names one as `email`. Each receipt may be sent three times a day.',
      ],
      parameters: [TRANSACTION_ID],
      takes: { receiptRequest: receiptRequest.omit({ id: true }) },
      refusals: [
        'mail_off',
        'transaction_not_found',
        'no_receipt_yet',
        'email_unconfirmed',
        'mail_busy',
        'too_many_requests',
      ],
      request: { email: 'cam@example.com', time_zone: 'Europe/Vienna' },
    },
    actOfPartyProcedure.input(receiptRequest).mutation(async ({ ctx, input }): Promise<null> => {
      const { email, timeZone } = input;
      const mail = mailOf(ctx);
      const { account, services } = ctx;
      const tip = await services.transactions.get(account, input.id);
      const { id, giverId, receiptUrl } = tip;
      const isGuest = receiptUrl !== null;
      // A receiver sees a pseudonym of the giver, and nothing of a guest.
      if (!isGuest && (account === null || giverId !== account.id))
        throw new AppError('transaction_not_found');
      if (!wasGiven(tip)) throw new AppError('no_receipt_yet');
      const to = isGuest || account === null ? { email: namedBy(email) } : { userId: account.id };
      await services.limits.countReceiptMail(id, 'email' in to ? to.email : null, ctx.address(), ctx.quota);
      await mail.sendReceipt(id, to, timeZone);
      return null;
    }),
  ),
};

function namedBy(email: string | undefined): string {
  if (email !== undefined) return email;
  throw invalidField('email', 'Email is required.');
}
