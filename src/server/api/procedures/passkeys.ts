/** Logging in by a passkey, and using one in the place of the password. */
import { deviceFrom } from '#server/auth/devices.ts';
import { passkeyAnswer, passkeyOptions } from '#shared/second-factors.ts';
import { restLogin, TOKEN_TYPE, tryingPassword, tryingTo } from './auth.ts';
import { endpoint } from './endpoint.ts';
import { LOGIN, PASSKEY_REQUEST, PASSKEY_RESPONSE } from './examples.ts';
import { FOR_SUSPENDED } from './trpc.ts';

export const passkeyProcedures = {
  passkeyOptions: endpoint(
    {
      rest: 'POST /auth/passkey/options',
      status: 200,
      summary: 'Begin to log in by a passkey',
      description: [
        'Answers what `navigator.credentials.get` is given, as JSON text with the names of WebAuthn. It can be',
        'used once, within five minutes. Nobody has to say who they are: the passkey knows.',
      ],
      answers: { passkeyOptions },
      refusals: ['too_many_requests'],
      response: { options: PASSKEY_REQUEST },
    },
    tryingTo('passkey').mutation(async ({ ctx }) => ({
      options: await ctx.services.factors.beginPasskeyLogin('account'),
    })),
  ),

  passkeyLogin: endpoint(
    {
      rest: 'POST /auth/passkey/login',
      status: 200,
      summary: 'Log in by a passkey',
      description: [
        'Takes what the browser answered, as `PublicKeyCredential.toJSON` makes it, as text. Answers what',
        '`POST /auth/login` answers; no code is asked for.',
      ],
      takes: { passkeyAnswer },
      answers: { login: restLogin },
      adds: { tokenType: TOKEN_TYPE },
      refusals: ['passkey_refused', 'too_many_requests'],
      request: { response: PASSKEY_RESPONSE },
      response: LOGIN,
    },
    tryingTo('login')
      .input(passkeyAnswer)
      .mutation(async ({ ctx, input }) => {
        const { accounts, logins } = ctx.services;
        const { mark } = ctx.device;
        let marksFromMs = 0;
        const isNewTo = async (email: string) => {
          // Read before the session begins: what ends marks afterwards ends the one of this login, too.
          marksFromMs = await accounts.marksFrom(email);
          return !mark.isOf(email, marksFromMs);
        };
        const login = await logins.byPasskey(input.response, deviceFrom(ctx.userAgent), isNewTo);
        mark.remember(login.user.email, marksFromMs);
        ctx.arrival.noteLogin(login, 'passkey');
        return login;
      }),
  ),

  passkeyConfirmOptions: endpoint(
    {
      rest: 'POST /auth/confirm/passkey/options',
      status: 200,
      summary: 'Begin to confirm by a passkey',
      description: 'As for a login, for the passkeys of your account.',
      answers: { passkeyOptions },
      refusals: ['too_many_requests'],
      response: { options: PASSKEY_REQUEST },
    },
    tryingPassword()
      .meta(FOR_SUSPENDED)
      .mutation(async ({ ctx }) => ({
        options: await ctx.services.secondFactors.confirmOptions(ctx.account.id),
      })),
  ),

  confirmByPasskey: endpoint(
    {
      rest: 'POST /auth/confirm/passkey',
      status: 204,
      summary: 'Use a passkey instead of typing your password again',
      description: 'Does what `POST /auth/confirm` does.',
      takes: { passkeyAnswer },
      refusals: ['passkey_refused', 'too_many_requests'],
      request: { response: PASSKEY_RESPONSE },
    },
    tryingPassword()
      .meta(FOR_SUSPENDED)
      .input(passkeyAnswer)
      .mutation(async ({ ctx, input }): Promise<null> => {
        await ctx.services.secondFactors.confirm(ctx.account.id, input.response, ctx.token);
        ctx.arrival.note('password_confirmed');
        return null;
      }),
  ),
};
