/** The passkeys, the authenticator app and the recovery codes of an account. */
import {
  firstRecoveryCodes,
  newPasskey,
  passkeyOptions,
  passkeyQuery,
  recoveryCodes,
  secondFactors,
  totpConfirmation,
  totpSetup,
} from '#shared/second-factors.ts';
import { rememberDevice } from './auth.ts';
import { endpoint } from './endpoint.ts';
import { PASSKEY, PASSKEY_CREATION, PASSKEY_RESPONSE, RECOVERY_CODES, TOTP_SETUP } from './examples.ts';
import { listedId } from './parameters.ts';
import {
  anyPasswordProcedure,
  confirmedEnrolmentProcedure,
  countedProcedure,
  FOR_SUSPENDED,
} from './trpc.ts';

const changingProcedure = countedProcedure('factor_change', confirmedEnrolmentProcedure).meta(FOR_SUSPENDED);

/** The last factor of somebody who must have one stays. */
const REMOVAL_REFUSALS = [
  'password_needed',
  'second_factor_not_found',
  'second_factor_required',
  'too_many_requests',
] as const;

export const secondFactorProcedures = {
  list: endpoint(
    {
      rest: 'GET /auth/me/second-factors',
      status: 200,
      summary: 'See your second factors',
      description: [
        'Passkeys, whether an authenticator app is set up, and how many recovery codes are left. With a',
        'passkey or an app, a password alone no longer logs you in.',
      ],
      answers: { secondFactors },
      response: { passkeys: [PASSKEY], has_totp: true, recovery_codes_left: 9 },
    },
    // Whoever has to choose a password first may confirm by a passkey, where there is one.
    anyPasswordProcedure.query(({ ctx }) => ctx.services.secondFactors.list(ctx.account.id)),
  ),

  passkeyOptions: endpoint(
    {
      rest: 'POST /auth/me/passkey/options',
      status: 200,
      summary: 'Begin to add a passkey',
      description: [
        'Answers what `navigator.credentials.create` is given, as JSON text with the names of WebAuthn. It can',
        'be used once, within five minutes.',
      ],
      answers: { passkeyOptions },
      refusals: ['password_needed', 'too_many_requests'],
      response: { options: PASSKEY_CREATION },
    },
    changingProcedure.mutation(async ({ ctx }) => ({
      options: await ctx.services.secondFactors.passkeyOptions(ctx.account),
    })),
  ),

  addPasskey: endpoint(
    {
      rest: 'POST /auth/me/passkeys',
      status: 201,
      summary: 'Add a passkey',
      description: [
        'Takes what the browser answered, as `PublicKeyCredential.toJSON` makes it, as text, and a name for',
        'your list. With your first second factor come ten recovery codes, which are told this once. An',
        'account has ten passkeys at most. Where mail is set up, a mail tells you of each. After the first',
        'second factor, other devices that have logged in before count as new ones.',
      ],
      takes: { newPasskey },
      answers: { firstRecoveryCodes },
      refusals: ['password_needed', 'passkey_refused', 'too_many_passkeys', 'too_many_requests'],
      request: { response: PASSKEY_RESPONSE, name: 'My phone' },
      response: { recovery_codes: RECOVERY_CODES },
    },
    changingProcedure.input(newPasskey).mutation(async ({ ctx, input }) => {
      const codes = await ctx.services.secondFactors.addPasskey(ctx.account.id, input, ctx.token);
      if (codes !== null) await rememberDevice(ctx, ctx.account.email);
      ctx.arrival.note('second_factor_added');
      return { recoveryCodes: codes && [...codes] };
    }),
  ),

  removePasskey: endpoint(
    {
      rest: 'DELETE /auth/me/passkeys/:passkey_id',
      status: 204,
      summary: 'Remove a passkey',
      description: 'It logs nobody in from then on. Recovery codes go with your last second factor.',
      parameters: [listedId('passkey_id', 'psk', 'second factors', PASSKEY.id)],
      refusals: REMOVAL_REFUSALS,
    },
    changingProcedure.input(passkeyQuery).mutation(async ({ ctx, input }): Promise<null> => {
      await ctx.services.secondFactors.removePasskey(ctx.account, input.id);
      ctx.arrival.note('second_factor_removed');
      return null;
    }),
  ),

  beginTotp: endpoint(
    {
      rest: 'POST /auth/me/totp',
      status: 200,
      summary: 'Begin to set up an authenticator app',
      description: [
        'Answers a new secret for the app (RFC 6238: SHA-1, six digits, 30 seconds). It counts once a code of',
        'it was sent to `POST /auth/me/totp/confirmation`; until then the app before goes on to count.',
      ],
      answers: { totpSetup },
      refusals: ['password_needed', 'too_many_requests'],
      response: TOTP_SETUP,
    },
    changingProcedure.mutation(({ ctx }) => ctx.services.secondFactors.beginTotp(ctx.account)),
  ),

  confirmTotp: endpoint(
    {
      rest: 'POST /auth/me/totp/confirmation',
      status: 201,
      summary: 'Finish setting up an authenticator app',
      description: [
        'Takes a code that the app shows. With your first second factor come ten recovery codes, which are',
        'told this once. Where mail is set up, a mail tells you of it. After the first second factor, other',
        'devices that have logged in before count as new ones.',
      ],
      takes: { totpConfirmation },
      answers: { firstRecoveryCodes },
      refusals: ['password_needed', 'wrong_code', 'too_many_requests'],
      request: { code: '492039' },
      response: { recovery_codes: RECOVERY_CODES },
    },
    changingProcedure.input(totpConfirmation).mutation(async ({ ctx, input }) => {
      const codes = await ctx.services.secondFactors.confirmTotp(ctx.account.id, input.code, ctx.token);
      if (codes !== null) await rememberDevice(ctx, ctx.account.email);
      ctx.arrival.note('second_factor_added');
      return { recoveryCodes: codes && [...codes] };
    }),
  ),

  removeTotp: endpoint(
    {
      rest: 'DELETE /auth/me/totp',
      status: 204,
      summary: 'Remove your authenticator app',
      description: 'Its codes count no more. Recovery codes go with your last second factor.',
      refusals: REMOVAL_REFUSALS,
    },
    changingProcedure.mutation(async ({ ctx }): Promise<null> => {
      await ctx.services.secondFactors.removeTotp(ctx.account);
      ctx.arrival.note('second_factor_removed');
      return null;
    }),
  ),

  renewRecoveryCodes: endpoint(
    {
      rest: 'POST /auth/me/recovery-codes',
      status: 201,
      summary: 'Make new recovery codes',
      description: 'Ten, which are told this once. Those before no longer work.',
      answers: { recoveryCodes },
      refusals: ['password_needed', 'second_factor_not_found', 'too_many_requests'],
      response: { recovery_codes: RECOVERY_CODES },
    },
    changingProcedure.mutation(async ({ ctx }) => {
      const codes = await ctx.services.secondFactors.renewRecoveryCodes(ctx.account.id, ctx.token);
      ctx.arrival.note('second_factor_added');
      return { recoveryCodes: codes };
    }),
  ),
};
