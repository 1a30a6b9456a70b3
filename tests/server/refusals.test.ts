/**
 * Every row of the table of refusals, met through both doors for real: its status, its code, the sentence for
 * people, the headers that go with it, and that nothing was changed by what was refused. A row that is added
 * to the table without one here fails.
 */
import { hash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { TRPCError } from '@trpc/server';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '#server/api/http/refusals.ts';
import type { Config } from '#server/config.ts';
import { hashOfToken } from '#server/storage/rules/tokens.ts';
import { MAX_API_KEYS } from '#shared/api-scopes.ts';
import { CONSOLE_REFUSALS } from '#shared/console/refusals.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { newInvitationId, newMailId, newTransactionId } from '#shared/ids.ts';
import { MAX_PHOTO_BYTES } from '#shared/qr-codes.ts';
import { REFUSALS } from '#shared/refusals.ts';
import { createAuthenticator } from '#tests/support/authenticator.ts';
import {
  type Answer,
  answerOf,
  call,
  callRest,
  callTrpc,
  callTrpcBatch,
  changePasswordThrough,
  DOORS,
  type Door,
  LOCAL_URL,
  logInThrough,
  PUBLIC_URL,
  refusedBy,
  registerThrough,
  resultOf,
  tipThrough,
} from '#tests/support/both-doors.ts';
import { UNSENT } from '#tests/support/mail-server.ts';
import { newTip } from '#tests/support/new-tip.ts';
import { createPaidApp } from '#tests/support/paid-app.ts';
import { payoutAccountOf, payTip } from '#tests/support/payment-steps.ts';
import { drawPhoto } from '#tests/support/photos.ts';
import { newDevice } from '#tests/support/push-devices.ts';
import { suspendAccount } from '#tests/support/suspending.ts';
import { createTestApp, PASSWORD } from '#tests/support/test-app.ts';
import { totpAt } from '#tests/support/totp.ts';

const MARKER = 'a detail from deep inside';
const OUT_OF_BOUNDS = 'Tip amount must be between $10 and $10,000';

const refuseAccounts = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === 'POST' && path.endsWith('/accounts')
    ? ({ is: 'refused', status: 400, message: 'Stripe opens no account in this country.' } as const)
    : null;

/** A provider with a code, a customer, and switches for what may go wrong around them. */
async function openScene({
  isRateLimited = false,
  hashing,
  publicUrl = PUBLIC_URL,
  isPaid = false,
  takesGuestTips = false,
  mail = UNSENT,
  registration = 'open',
  maintenance = null,
}: {
  readonly isRateLimited?: boolean;
  readonly hashing?: 'slow';
  readonly publicUrl?: string;
  readonly isPaid?: boolean;
  readonly takesGuestTips?: boolean;
  readonly mail?: Config['mail'];
  readonly registration?: Config['registration'];
  readonly maintenance?: Config['maintenance'];
} = {}) {
  const trouble = { isShuttingDown: false };
  const given = { key: '' };
  const options = {
    config: { isRateLimited, publicUrl, takesGuestTips, mail, registration, maintenance },
    ...(hashing && { hashing }),
    isShuttingDown: () => trouble.isShuttingDown,
  };
  const paid = isPaid ? await createPaidApp(options) : null;
  const t = paid?.t ?? (await createTestApp(options));
  const { provider, customer, code } = await t.setTheScene();
  const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' };
  return { t, paid, trouble, provider, customer, code, tip, given };
}

type Scene = Awaited<ReturnType<typeof openScene>>;
/** Gives the scene a key that reads codes alone. Its use is noted before, so that the next one changes nothing. */
async function giveKey({ t, provider, given }: Scene): Promise<void> {
  const { id, text } = await provider.trpc.apiKeys.create.mutate({ name: 'Codes', scopes: ['codes:read'] });
  await t.storage.apiKeys.noteUse(id, t.clock.nowMs);
  given.key = text;
}

const NO_TOKEN = 'a'.repeat(43);

type Act = (scene: Scene, door: Door) => Promise<Answer>;

interface Row {
  readonly status: number;
  /** The sentence, where the specification or the decisions have the words for it. */
  readonly detail?: string;
  readonly isRateLimited?: true;
  readonly hashing?: 'slow';
  readonly publicUrl?: string;
  /** Whether tips are paid at a payment service. */
  readonly isPaid?: true;
  readonly takesGuestTips?: true;
  /** Null where no mail is sent. */
  readonly mail?: null;
  readonly registration?: Config['registration'];
  readonly maintenance?: Config['maintenance'];
  /** What happens before the call. */
  arrange?(scene: Scene): unknown;
  /** What goes wrong around the call, and how it ends, so that the database can be looked into. */
  disturb?(scene: Scene): unknown;
  calmDown?(scene: Scene): unknown;
  /**
   * What is refused: through both doors alike, or for each door, or the reason why it cannot be at that door.
   */
  readonly act: Act | Readonly<Record<Door, Act | string>>;
}

/** A request to the login of a door that no client makes. */
const sendToLogin = (door: Door, { t }: Scene, type: string, body: string, query = '') =>
  t
    .send(`${door === 'REST' ? '/api/auth/login' : '/trpc/auth.login'}${query}`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body,
    })
    .then(answerOf);

const giveTip: Act = ({ t, tip, customer }, door) => tipThrough(door, t, tip, customer);

const signUp = (door: Door, { t }: Scene, email: string, username: string, invitation?: string) =>
  registerThrough(door, t, { email, username, password: PASSWORD, ...(invitation && { invitation }) });

/** One login more than the hashing has places for, from everywhere else through the same door. */
const logInBehindACrowd: Act = async ({ t }, door) => {
  const crowd = Array.from({ length: 110 }, (_, index) =>
    logInThrough(door, t, 'nobody@example.com', PASSWORD, { peer: `203.0.113.${index}` }),
  );
  const answer = await logInThrough(door, t, 'cam@example.com', PASSWORD);
  await Promise.all(crowd);
  return answer;
};

/** Sends a photo for the code of the provider; over tRPC there is no way to. */
const sendPhoto = (makePhoto: () => Uint8Array | Promise<Uint8Array>) => ({
  REST: async ({ t, code, provider }: Scene) =>
    call('REST', t, 'qrCodes.setPhoto', { id: code.id, photo: await makePhoto() }, provider),
  tRPC: 'JSON has no bytes, so that over tRPC every photo is an invalid field',
});

/** The provider keeps the service and has another code for it. */
const replaceCode = ({ provider, code }: Scene) => provider.trpc.qrCodes.replace.mutate({ id: code.id });
/** The provider gives up the service, and its code with it. */
const retireService = ({ provider }: Scene) =>
  provider.trpc.auth.updateProfile.mutate({ serviceCategories: ['dj'] });

/** The id of the newest transaction that somebody sent or received. */
async function newestTipOf({ trpc }: Scene['customer']): Promise<string> {
  const { transactions } = await trpc.transactions.list.query({ limit: 1 });
  return transactions[0]?.id ?? 'none';
}

/** The same payment each time, which nobody has paid. */
async function beginPayment({ customer, code }: Scene): Promise<string> {
  const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
  return (await customer.trpc.transactions.create.mutate({ ...tip, idempotencyKey: 'receipt' })).id;
}

async function addApp({ t, customer: { trpc } }: Scene): Promise<void> {
  const { secret } = await trpc.secondFactors.beginTotp.mutate();
  await trpc.secondFactors.confirmTotp.mutate({ code: totpAt(secret, t.clock.nowMs) });
}

const addPasskey: Act = async ({ t, customer }, door) => {
  const { options } = await customer.trpc.secondFactors.passkeyOptions.mutate();
  const response = createAuthenticator(PUBLIC_URL).create(options);
  return call(door, t, 'secondFactors.addPasskey', { response, name: 'Phone' }, customer);
};

const KEYS_AT_REST_ALONE = 'no API key gets so far: each is refused with not_for_api_keys';
const NO_REQUEST = 'it never becomes a request, and meets no door: process.test.ts sends it';

const ROWS: Readonly<Record<Exclude<ErrorCode, keyof typeof CONSOLE_REFUSALS>, Row>> = {
  malformed_json: {
    status: 400,
    act: (scene, door) => sendToLogin(door, scene, 'application/json', '{"email": '),
  },
  words_not_taken: {
    status: 409,
    detail: 'No messages or names are taken here. The tip can be given without.',
    arrange: ({ provider, code }) => provider.trpc.qrCodes.update.mutate({ id: code.id, takesWords: false }),
    act: ({ t, tip, customer }, door) =>
      call(door, t, 'transactions.create', { ...tip, message: 'Hello' }, customer),
  },
  terms_changed: {
    status: 409,
    detail: 'The fees or the limits of tips have changed. Nothing was charged. Look at the new total first.',
    act: ({ t, tip, customer }, door) =>
      call(door, t, 'transactions.create', { ...tip, termsVersion: 7 }, customer),
  },
  no_words: {
    status: 409,
    arrange: ({ t, tip, customer }) => tipThrough('tRPC', t, tip, customer),
    act: async ({ t, provider }, door) =>
      call(door, t, 'messages.hide', { id: await newestTipOf(provider), hidden: true }, provider),
  },
  thanked_already: {
    status: 409,
    async arrange({ t, tip, customer, provider }) {
      await tipThrough('tRPC', t, tip, customer);
      await provider.trpc.messages.thank.mutate({ id: await newestTipOf(provider), text: 'Thanks' });
    },
    act: async ({ t, provider }, door) =>
      call(door, t, 'messages.thank', { id: await newestTipOf(provider), text: 'Thanks again' }, provider),
  },
  giver_unknown: {
    status: 409,
    takesGuestTips: true,
    arrange: ({ t, tip }) => tipThrough('tRPC', t, tip),
    act: async ({ t, provider }, door) =>
      call(door, t, 'messages.block', { id: await newestTipOf(provider) }, provider),
  },
  giver_not_found: {
    status: 404,
    act: ({ t, provider }, door) => call(door, t, 'messages.unblock', { giverId: 'gvr_none' }, provider),
  },
  webhook_not_found: {
    status: 404,
    act: ({ t, provider }, door) => call(door, t, 'webhooks.remove', { id: 'whk_none' }, provider),
  },
  malformed_request: {
    status: 400,
    act: {
      REST: 'whatever a REST request holds is JSON with wrong fields or no JSON: both have refusals of their own',
      tRPC: (scene, door) => sendToLogin(door, scene, 'application/json', '"no list or object"', '?batch=1'),
    },
  },
  request_timeout: { status: 408, act: { REST: NO_REQUEST, tRPC: NO_REQUEST } },
  headers_too_large: { status: 431, act: { REST: NO_REQUEST, tRPC: NO_REQUEST } },
  not_logged_in: { status: 401, act: ({ t }, door) => call(door, t, 'auth.me') },
  login_to_tip: {
    status: 401,
    detail: 'Please login to send tips',
    act: ({ t, tip }, door) => tipThrough(door, t, tip),
  },
  session_ended: { status: 401, arrange: ({ customer }) => customer.trpc.auth.logout.mutate(), act: giveTip },
  wrong_credentials: {
    status: 401,
    act: ({ t }, door) => logInThrough(door, t, 'cam@example.com', 'not the password'),
  },
  wrong_password: {
    status: 422,
    act: ({ t, customer }, door) =>
      changePasswordThrough(door, t, 'not the password', 'another long one', customer),
  },
  password_needed: {
    status: 401,
    detail: 'Enter your password to go on.',
    arrange({ t }) {
      t.clock.nowMs += 15 * 60_000;
    },
    act: ({ t, customer }, door) => call(door, t, 'auth.endOtherSessions', undefined, customer),
  },
  session_not_found: {
    status: 404,
    act: ({ t, customer }, door) => call(door, t, 'auth.endSession', { id: 'ses_none' }, customer),
  },
  providers_only: {
    status: 403,
    act: ({ t, customer }, door) =>
      call(door, t, 'qrCodes.create', { serviceCategory: 'bartender' }, customer),
  },
  category_not_offered: {
    status: 403,
    act: ({ t, provider }, door) => call(door, t, 'qrCodes.create', { serviceCategory: 'dj' }, provider),
  },
  not_found: {
    status: 404,
    act: { REST: ({ t }) => callRest(t, 'GET', '/tips'), tRPC: ({ t }) => callTrpc(t, 'tips.list') },
  },
  qr_code_not_found: {
    status: 404,
    detail: 'QR code not found',
    act: ({ t, tip, customer }, door) =>
      tipThrough(door, t, { ...tip, receiverQrId: '00000-00000' }, customer),
  },
  provider_not_found: {
    status: 404,
    act: ({ t }, door) => call(door, t, 'qrCodes.provider', { username: 'pat' }),
  },
  qr_code_paused: {
    status: 409,
    detail: 'This QR code is not taking tips right now.',
    arrange: ({ provider, code }) => provider.trpc.qrCodes.update.mutate({ id: code.id, status: 'paused' }),
    act: giveTip,
  },
  qr_code_replaced: {
    status: 410,
    detail: 'This QR code was replaced. Please scan the new one.',
    arrange: replaceCode,
    act: giveTip,
  },
  qr_code_retired: {
    status: 410,
    detail: 'This QR code is no longer in use.',
    arrange: retireService,
    act: giveTip,
  },
  public_url_is_local: {
    status: 409,
    publicUrl: LOCAL_URL,
    act: ({ t, code, provider }, door) =>
      call(door, t, 'qrCodes.print', { id: code.id, file: 'poster.pdf' }, provider),
  },
  not_a_photo: { status: 415, act: sendPhoto(() => Buffer.from('GIF89a')) },
  photo_too_large: { status: 413, act: sendPhoto(() => new Uint8Array(MAX_PHOTO_BYTES + 1)) },
  photo_unreadable: { status: 422, act: sendPhoto(() => drawPhoto({ width: 2_049, height: 1 })) },
  transaction_not_found: {
    status: 404,
    detail: 'Transaction not found',
    act: ({ t, customer }, door) => call(door, t, 'transactions.get', { id: 'txn_none' }, customer),
  },
  provider_not_payable: {
    status: 409,
    detail: 'Tips cannot be taken here yet.',
    isPaid: true,
    // Where the reading of paid pages begins is kept until it has ended.
    arrange: ({ t }) => t.app.sweepPayments(),
    act: giveTip,
  },
  payment_unavailable: {
    status: 503,
    isPaid: true,
    arrange: ({ paid, provider }) => paid?.makePayable(provider),
    disturb: ({ paid }) => paid?.stripe.fail(() => ({ is: 'status', status: 500 })),
    act: ({ t, provider }, door) => call(door, t, 'payments.openDashboard', undefined, provider),
  },
  payout_account_refused: {
    status: 422,
    detail: 'Stripe opens no account in this country.',
    isPaid: true,
    disturb: ({ paid }) => paid?.stripe.fail(refuseAccounts),
    act: ({ t, provider }, door) => call(door, t, 'payments.onboard', { country: 'KP' }, provider),
  },
  invalid_notice: {
    status: 400,
    isPaid: true,
    arrange: ({ paid, provider }) => paid?.makePayable(provider),
    act: {
      async REST({ t, paid }) {
        const [webhookEvent] = paid?.stripe.webhookEvents ?? [];
        if (!paid || !webhookEvent) throw new Error('there is no webhook event');
        const { body, signature } = paid.stripe.sign(webhookEvent, 'whsec_another');
        return callRest(t, 'POST', '/payments/stripe/webhook', body, {
          headers: { 'Stripe-Signature': signature },
        });
      },
      tRPC: 'webhook events come to an address of their own, which is no procedure',
    },
  },
  thanks_refused: {
    status: 403,
    act: ({ t }, door) => call(door, t, 'notifications.thank', { proof: 'none', choice: 0 }),
  },
  mail_off: {
    status: 409,
    mail: null,
    act: ({ t, customer }, door) => call(door, t, 'auth.sendConfirmation', undefined, customer),
  },
  mail_busy: {
    status: 503,
    async arrange({ t }) {
      const mail = { userId: null, kind: 'receipt', recipient: 'guest@example.com', content: '{}' } as const;
      await t.storage.mails.add({ ...mail, id: newMailId(randomBytes), createdAtMs: 0 }, 5_000);
      const others = 'user_id, kind, recipient, content, created_at_ms, next_try_ms, tries, claimed_until_ms';
      await t.data.run(`WITH RECURSIVE more (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM more WHERE n < 5000)
        INSERT INTO mails (id, ${others}) SELECT id || n, ${others} FROM mails, more`);
    },
    act: ({ t }, door) => call(door, t, 'auth.forgotPassword', { email: 'cam@example.com' }),
  },
  email_unconfirmed: {
    status: 409,
    arrange: ({ t, tip, customer }) => tipThrough('tRPC', t, tip, customer),
    act: async ({ t, customer }, door) =>
      call(door, t, 'transactions.mailReceipt', { id: await newestTipOf(customer) }, customer),
  },
  link_ended: {
    status: 410,
    act: ({ t }, door) => call(door, t, 'auth.resetPassword', { token: NO_TOKEN, newPassword: PASSWORD }),
  },
  link_of_another: {
    status: 403,
    async arrange({ t, provider }) {
      const { id, email } = await provider.trpc.auth.me.query();
      const tokenHash = hashOfToken(NO_TOKEN);
      const link = { tokenHash, purpose: 'confirmation', expiresAtMs: t.clock.nowMs + 60_000 } as const;
      await t.storage.mails.addLink(id, email, link, 8);
    },
    act: ({ t, customer }, door) => call(door, t, 'auth.confirmEmail', { token: NO_TOKEN }, customer),
  },
  no_receipt_yet: {
    status: 409,
    isPaid: true,
    async arrange(scene) {
      await scene.paid?.makePayable(scene.provider);
      await beginPayment(scene);
    },
    async act(scene, door) {
      const id = await beginPayment(scene);
      return call(door, scene.t, 'transactions.mailReceipt', { id }, scene.customer);
    },
  },
  device_not_found: {
    status: 404,
    act: ({ t, customer }, door) => call(door, t, 'notifications.remove', { id: 'dev_none' }, customer),
  },
  push_endpoint_refused: {
    status: 422,
    act: ({ t, provider }, door) =>
      call(door, t, 'notifications.register', newDevice('https://fcm.googleapis.com.evil.com/a'), provider),
  },
  push_unavailable: {
    status: 503,
    arrange: ({ provider }) => provider.trpc.notifications.register.mutate(newDevice()),
    async act({ t, provider }, door) {
      const [device] = await provider.trpc.notifications.devices.query();
      return call(door, t, 'notifications.test', { id: device?.id }, provider);
    },
  },
  not_refundable: {
    status: 409,
    async arrange({ t, customer, tip }) {
      await tipThrough('tRPC', t, tip, customer);
      await customer.trpc.transactions.refund.mutate({ id: await newestTipOf(customer) });
    },
    act: async ({ t, provider }, door) =>
      call(door, t, 'transactions.refund', { id: await newestTipOf(provider) }, provider),
  },
  other_keys: {
    status: 409,
    async arrange({ t, provider, customer, code }) {
      const { nowMs: createdAtMs } = t.clock;
      await t.storage.payments.savePayoutAccount(payoutAccountOf(provider.user.id), createdAtMs);
      const given = { id: newTransactionId(randomBytes), giverId: customer.user.id, qrCodeId: code.id };
      await payTip(t.storage, newTip({ ...given, amountCents: 2_000, createdAtMs }));
    },
    act: async ({ t, provider }, door) =>
      call(door, t, 'transactions.refund', { id: await newestTipOf(provider) }, provider),
  },
  method_not_allowed: {
    status: 405,
    act: {
      REST: ({ t, customer }) => callRest(t, 'DELETE', '/transactions', undefined, customer),
      tRPC: async ({ t }) => answerOf(await t.send('/trpc/auth.logout')),
    },
  },
  email_taken: { status: 409, act: (scene, door) => signUp(door, scene, 'Cam@Example.com', 'somebody-else') },
  username_taken: { status: 409, act: (scene, door) => signUp(door, scene, 'another@example.com', 'Cam') },
  qr_code_exists: {
    status: 409,
    act: ({ t, provider }, door) =>
      call(door, t, 'qrCodes.create', { serviceCategory: 'bartender' }, provider),
  },
  body_too_large: {
    status: 413,
    act: ({ t }, door) => logInThrough(door, t, 'cam@example.com', 'x'.repeat(64 * 1024)),
  },
  encoded_body: {
    status: 415,
    detail: 'Send the request body as it is, without a Content-Encoding.',
    async act({ t }, door) {
      const path = door === 'REST' ? '/api/auth/login' : '/trpc/auth.login';
      const headers = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
      const answer = await t.send(path, { method: 'POST', headers, body: gzipSync('{}') }).then(answerOf);
      expect(answer.headers.get('Accept-Encoding')).toBe('identity');
      return answer;
    },
  },
  not_json: { status: 415, act: (scene, door) => sendToLogin(door, scene, 'text/plain', '{}') },
  invalid_input: {
    status: 422,
    detail: OUT_OF_BOUNDS,
    act: ({ t, tip, customer }, door) => tipThrough(door, t, { ...tip, amountCents: 999 }, customer),
  },
  own_qr_code: { status: 422, act: ({ t, tip, provider }, door) => tipThrough(door, t, tip, provider) },
  category_mismatch: {
    status: 422,
    act: ({ t, tip, customer }, door) => tipThrough(door, t, { ...tip, serviceCategory: 'barber' }, customer),
  },
  idempotency_key_reused: {
    status: 422,
    arrange: ({ t, tip, customer }) =>
      callTrpc(t, 'transactions.create', { ...tip, idempotencyKey: 'attempt-1' }, customer),
    act: ({ t, tip, customer }, door) =>
      call(
        door,
        t,
        'transactions.create',
        { ...tip, amountCents: 2_001, idempotencyKey: 'attempt-1' },
        customer,
      ),
  },
  attempts_differ: {
    status: 503,
    act: {
      REST: 'the header is the only name of an attempt there',
      tRPC: ({ t, tip, customer }) =>
        callTrpc(
          t,
          'transactions.create',
          { ...tip, idempotencyKey: 'attempt-1' },
          {
            ...customer,
            headers: { 'Idempotency-Key': 'attempt-2' },
          },
        ),
    },
  },
  account_suspended: {
    status: 403,
    arrange: ({ t, customer }) => suspendAccount(t.storage, customer.user.id),
    act: giveTip,
  },
  password_change_required: {
    status: 403,
    arrange: ({ t }) => t.data.demandNewPasswords(),
    act: giveTip,
  },
  second_factor_required: {
    status: 403,
    // The scene is made before the operator requires a factor.
    async act({ t, provider }, door) {
      const strict = await createTestApp({ config: { requiresProviderFactors: true }, data: t.data });
      return call(door, strict, 'qrCodes.list', undefined, provider);
    },
  },
  too_many_requests: {
    status: 429,
    detail: 'Too many attempts. Please try again in 15 minutes.',
    isRateLimited: true,
    arrange: ({ t }) =>
      Promise.all(
        DOORS.flatMap((door) => [1, 2, 3].map(() => logInThrough(door, t, 'cam@example.com', 'wrong'))),
      ),
    act: ({ t }, door) => logInThrough(door, t, 'cam@example.com', PASSWORD),
  },
  username_changed_often: {
    status: 429,
    detail: 'A username can be changed three times in 30 days. You can change yours again in 30 days.',
    isRateLimited: true,
    async arrange({ customer }) {
      for (const username of ['one', 'two', 'three'])
        await customer.trpc.auth.updateProfile.mutate({ username });
    },
    act: ({ t, customer }, door) => call(door, t, 'auth.updateProfile', { username: 'four' }, customer),
  },
  internal: {
    status: 500,
    disturb: ({ t }) => t.data.setFault(MARKER),
    calmDown: ({ t }) => t.data.setFault(null),
    act: giveTip,
  },
  busy: { status: 503, hashing: 'slow', act: logInBehindACrowd },
  storage_unavailable: {
    status: 503,
    disturb: ({ t }) => t.data.setReadOnly(true),
    calmDown: ({ t }) => t.data.setReadOnly(false),
    act: giveTip,
  },
  registration_closed: {
    status: 403,
    registration: 'closed',
    act: (scene, door) => signUp(door, scene, 'dan@example.com', 'dan'),
  },
  invitation_required: {
    status: 403,
    registration: 'invite',
    act: (scene, door) => signUp(door, scene, 'dan@example.com', 'dan'),
  },
  invitation_invalid: {
    status: 410,
    registration: 'invite',
    act: (scene, door) => signUp(door, scene, 'dan@example.com', 'dan', 'nothing'),
  },
  invitation_for_another: {
    status: 403,
    registration: 'invite',
    arrange: ({ t }) =>
      t.storage.invitations.add({
        id: newInvitationId(randomBytes),
        tokenHash: hash('sha256', 'for eve', 'buffer'),
        emailKey: 'eve@example.com',
        maxUses: 1,
        usesLeft: 1,
        expiresAtMs: t.clock.nowMs + 1_000,
      }),
    act: (scene, door) => signUp(door, scene, 'dan@example.com', 'dan', 'for eve'),
  },
  invalid_api_key: {
    status: 401,
    detail: 'This API key is mistyped or has ended, or it may not be used from this address.',
    act: {
      REST: ({ t }) => call('REST', t, 'auth.me', undefined, { token: 'tw_live_mistyped' }),
      tRPC: KEYS_AT_REST_ALONE,
    },
  },
  missing_scope: {
    status: 403,
    detail: 'This API key lacks the scope tips:read.',
    arrange: giveKey,
    act: {
      async REST({ t, given }) {
        const answer = await call('REST', t, 'transactions.list', undefined, { token: given.key });
        expect(answer.headers.get('WWW-Authenticate')).toBe(
          'Bearer realm="Tipwell", error="insufficient_scope", scope="tips:read"',
        );
        return answer;
      },
      tRPC: KEYS_AT_REST_ALONE,
    },
  },
  not_for_api_keys: {
    status: 403,
    arrange: giveKey,
    act: ({ t, given }, door) => call(door, t, 'auth.me', undefined, { token: given.key }),
  },
  api_key_not_found: {
    status: 404,
    act: ({ t, customer }, door) => call(door, t, 'apiKeys.end', { id: 'key_none' }, customer),
  },
  too_many_api_keys: {
    status: 409,
    async arrange({ customer }) {
      for (let count = 0; count < MAX_API_KEYS; count += 1)
        await customer.trpc.apiKeys.create.mutate({ name: 'Register', scopes: ['tips:read'] });
    },
    act: ({ t, customer }, door) =>
      call(door, t, 'apiKeys.create', { name: 'Register', scopes: ['tips:read'] }, customer),
  },
  second_factor_needed: {
    status: 401,
    arrange: addApp,
    act: ({ t }, door) => logInThrough(door, t, 'cam@example.com', PASSWORD),
  },
  wrong_code: {
    status: 422,
    arrange: addApp,
    act: ({ t }, door) =>
      call(door, t, 'auth.login', { email: 'cam@example.com', password: PASSWORD, code: '000 00' }),
  },
  passkey_refused: {
    status: 422,
    act: ({ t }, door) => call(door, t, 'auth.passkeyLogin', { response: '{}' }),
  },
  second_factor_not_found: {
    status: 404,
    act: ({ t, customer }, door) => call(door, t, 'secondFactors.removeTotp', undefined, customer),
  },
  too_many_passkeys: {
    status: 409,
    async arrange(scene) {
      for (let count = 0; count < 10; count += 1) await addPasskey(scene, 'tRPC');
    },
    act: addPasskey,
  },
  shutting_down: {
    status: 503,
    disturb: ({ trouble }) => {
      trouble.isShuttingDown = true;
    },
    act: giveTip,
  },
  maintenance: {
    status: 503,
    detail: 'Tips and refunds are paused for maintenance. Please try again in 5 minutes.',
    maintenance: { untilMs: null },
    act: giveTip,
  },
};

const acts = Object.entries(ROWS).flatMap(([code, row]) =>
  DOORS.map((door) => ({ door, code, row, act: typeof row.act === 'function' ? row.act : row.act[door] })),
);
const cases = acts.flatMap(({ door, code, row, act }) =>
  typeof act === 'string' ? [] : [[door, code, row, act] as const],
);

test('each code of the table has a row here, and a reason where it cannot occur', () => {
  // Those of the console never leave through another door.
  const all = [...Object.keys(ROWS), ...Object.keys(CONSOLE_REFUSALS)];
  expect(all.sort()).toEqual(Object.keys(REFUSALS).sort());
  expect(acts.length - cases.length).toBe(12);
});

/** Each row that can occur, with what is refused at each door where it can. */
const rows = Object.entries(ROWS).flatMap(([code, row]) => {
  const atDoors = cases.filter(([, of]) => of === code).map(([door, , , act]) => ({ door, act }));
  return atDoors.length > 0 ? [{ code, row, atDoors }] : [];
});

test.each(rows)('$code is said by each door, and changes nothing', async ({ code, row, atDoors }) => {
  let scene: Scene | null = null;
  for (const { door, act } of atDoors) {
    // What was refused changed nothing, so that the other door finds the same; but attempts are counted.
    if (scene === null || row.isRateLimited) {
      scene = await openScene(row);
      await row.arrange?.(scene);
    }
    const before = await scene.t.data.dump();
    await row.disturb?.(scene);
    const answer = await act(scene, door);
    await row.calmDown?.(scene);

    const refused = refusedBy(door, answer);
    expect(refused).toMatchObject({ status: row.status, code, ...(row.detail && { detail: row.detail }) });
    expect(await scene.t.data.dump()).toEqual(before);
  }
});

test.each(DOORS)('%s tells an ended session from none in WWW-Authenticate', async (door) => {
  const { t, tip, customer } = await openScene();
  await customer.trpc.auth.logout.mutate();
  const ended = await tipThrough(door, t, tip, customer);
  const none = await tipThrough(door, t, tip);
  expect(ended.headers.get('WWW-Authenticate')).toBe('Bearer realm="Tipwell", error="invalid_token"');
  expect(none.headers.get('WWW-Authenticate')).toBe('Bearer realm="Tipwell"');
});

test.each(DOORS)('%s says how old a login may be, where it is too old (RFC 9470)', async (door) => {
  const { t, customer } = await openScene();
  t.clock.nowMs += 15 * 60_000;
  const old = await call(door, t, 'auth.endOtherSessions', undefined, customer);
  expect(old.headers.get('WWW-Authenticate')).toBe(
    'Bearer realm="Tipwell", error="insufficient_user_authentication", max_age="900"',
  );
});

const ALLOWED = [
  ['/auth/login', 'POST'],
  ['/auth/me', 'GET, HEAD, PATCH'],
  ['/qr-codes', 'GET, HEAD, POST'],
  ['/qr-codes/ABCDEFGHJK', 'GET, HEAD, PATCH'],
  ['/qr-codes/ABCDEFGHJK/replacement', 'POST'],
  ['/qr-codes/ABCDEFGHJK/photo', 'PUT, DELETE'],
  ['/qr-codes/ABCDEFGHJK/print/poster.pdf', 'GET, HEAD'],
  ['/transactions', 'GET, HEAD, POST'],
  ['/transactions/stream', 'GET, HEAD'],
  ['/transactions/txn_none', 'GET, HEAD'],
  ['/transactions/txn_none/cancel', 'POST'],
  ['/payments/account', 'GET, HEAD, POST'],
  ['/notices/devices', 'GET, HEAD, POST'],
  ['/notices/devices/:device_id', 'PATCH, DELETE'],
  ['/payments/dashboard-link', 'POST'],
  ['/payments/stripe/webhook', 'POST'],
] as const;

test('405 at an address says what it does answer', async () => {
  const { t } = await openScene();
  for (const [path, allowed] of ALLOWED) {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'GET', 'POST'].filter((one) => !allowed.includes(one))) {
      const answer = await callRest(t, method, path);
      expect(refusedBy('REST', answer).code).toBe('method_not_allowed');
      expect(answer.headers.get('Allow'), path).toBe(allowed);
    }
  }
});

describe('what nobody foresaw', () => {
  test.each(DOORS)('%s says the same fixed sentence, and only the log knows why', async (door) => {
    const { t, tip, customer } = await openScene();
    await t.data.setFault(MARKER);
    const answers = [
      await tipThrough(door, t, tip, customer),
      await logInThrough(door, t, 'cam@example.com', PASSWORD),
      await call(door, t, 'qrCodes.lookup', { id: tip.receiverQrId }),
    ];
    await t.data.setFault(null);
    for (const answer of answers) {
      const refused = refusedBy(door, answer);
      expect(refused).toMatchObject({ status: 500, code: 'internal', detail: REFUSALS.internal.detail });
      expect(answer.text).not.toContain(MARKER);
      expect(JSON.stringify([...answer.headers])).not.toContain(MARKER);
      const logged = t.logLines.filter((line) => line.includes(refused.requestId) && line.includes(MARKER));
      expect(logged).toHaveLength(1);
    }
  });

  test('a fault in one tip does not undo or fail the one beside it', async () => {
    const { t, tip, customer } = await openScene();
    // 64.66 is what 66.66 leaves the provider: by then the row is written and the giver's total moved.
    await t.data.failReceiving(6_466, MARKER);
    const [fine, faulty] = await Promise.all([
      tipThrough('REST', t, tip, customer),
      tipThrough('REST', t, { ...tip, amountCents: 6_666 }, customer),
    ]);
    expect(resultOf(fine)).toMatchObject({ amount: 20 });
    expect(refusedBy('REST', faulty).code).toBe('internal');
    expect(faulty.text).not.toContain(MARKER);
    expect(await customer.trpc.auth.me.query()).toMatchObject({ totalTipsGivenCents: 2_000 });
    expect((await t.data.dump())['transactions']).toHaveLength(1);
  });
});

describe('what tRPC refuses before any procedure', () => {
  test('is JSON by its content type as well', async () => {
    const { t } = await openScene();
    const answer = await callTrpcBatch(
      t,
      Array.from({ length: 11 }, () => ['auth.logout', null] as const),
    );
    expect(JSON.parse(answer.text)).toMatchObject({ error: { data: { errorCode: 'malformed_request' } } });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('X-Request-Id')).not.toBeNull();
    expect(answer.headers.get('Content-Type')).toMatch(/^application\/json\b/);
  });
});

test('what tRPC throws without a cause keeps its own words for the log', () => {
  const error = new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: MARKER });
  const refusal = refusalOf(error);
  expect(refusal.code).toBe('internal');
  expect(refusal.message).not.toContain(MARKER);
  expect(refusal.cause).toMatchObject({ message: MARKER, cause: error });
});
