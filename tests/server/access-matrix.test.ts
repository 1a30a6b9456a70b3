/**
 * Who may do what: every procedure through both doors against every kind of caller. The list of procedures is
 * read from the product, so that one without a row here fails. What belongs to somebody else answers as if it
 * did not exist.
 */
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '#server/api/procedures/router.ts';
import { newApiKeyText } from '#server/auth/api-key-text.ts';
import { API_SCOPES, type ApiScope } from '#shared/api-scopes.ts';
import { newApiKeyId } from '#shared/ids.ts';
import type { REFUSALS } from '#shared/refusals.ts';
import {
  call,
  callRest,
  callTrpc,
  DOORS,
  type Door,
  PROCEDURES,
  refusedBy,
  resultOf,
  tipThrough,
} from '#tests/support/both-doors.ts';
import { outcomeThrough } from '#tests/support/event-streams.ts';
import { UNSENT } from '#tests/support/mail-server.ts';
import { createPaidApp } from '#tests/support/paid-app.ts';
import { START_MS, typePassword } from '#tests/support/people.ts';
import { drawPhoto } from '#tests/support/photos.ts';
import { newDevice } from '#tests/support/push-devices.ts';
import type { Dump } from '#tests/support/stored-data.ts';
import { suspendAccount } from '#tests/support/suspending.ts';
import { createTestApp, PASSWORD } from '#tests/support/test-app.ts';
import { createTestData } from '#tests/support/test-data.ts';

const IDENTITIES = ['anonymous', 'customer', 'provider', 'another provider', 'expired', 'revoked'] as const;
type Identity = (typeof IDENTITIES)[number];

/**
 * API keys of the provider: one with each scope, one with a scope that this version does not know, and some that
 * work no more or not from here.
 */
const KEYS = [...API_SCOPES, 'of a later version', 'ended', 'expired', 'from elsewhere'] as const;
type Key = (typeof KEYS)[number];

/** Pat tends the bar and cuts hair, with a code for the bar; Quinn is a DJ without a code. */
async function makeScene() {
  const t = await createTestApp({ config: { mail: UNSENT } });
  const provider = await t.registerProvider('pat', ['bartender', 'barber']);
  const another = await t.registerProvider('quinn', ['dj']);
  const customer = await t.registerCustomer('cam');

  t.clock.nowMs = START_MS - 31 * 86_400_000;
  const expired = await t.logIn('cam@example.com');
  t.clock.nowMs = START_MS;
  const revoked = await t.logIn('cam@example.com');
  await t.trpc(revoked).auth.logout.mutate();
  await t.logIn('cam@example.com');
  const [session] = (await customer.trpc.auth.sessions.query()).filter(({ isCurrent }) => !isCurrent);
  if (!session) throw new Error('the customer has one session only');

  const code = await provider.trpc.qrCodes.create.mutate({ serviceCategory: 'bartender' });
  await provider.trpc.qrCodes.update.mutate({ id: code.id, isListed: true });
  const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
  const given = await customer.trpc.transactions.create.mutate({ ...tip, message: 'Hello' });
  const tokens: Readonly<Record<Identity, string | undefined>> = {
    anonymous: undefined,
    customer: customer.token,
    provider: provider.token,
    'another provider': another.token,
    expired,
    revoked,
  };
  const keys = new Map<Key, string>();
  const makeKey = async (key: Key, asked: object = {}) => {
    const made = await provider.trpc.apiKeys.create.mutate({ name: key, scopes: [...API_SCOPES], ...asked });
    keys.set(key, made.text);
    return made;
  };
  for (const scope of API_SCOPES) await makeKey(scope, { scopes: [scope] });
  const later = newApiKeyText(randomBytes);
  keys.set('of a later version', later);
  await t.storage.apiKeys.add(
    {
      id: newApiKeyId(randomBytes),
      userId: provider.user.id,
      keyHash: createHash('sha256').update(later).digest(),
      name: 'Later',
      // As text from the database, whatever this version knows.
      scopes: JSON.parse('["tips:give"]'),
      addresses: [],
      ending: later.slice(-4),
      createdAtMs: START_MS,
      expiresAtMs: START_MS + 86_400_000,
    },
    20,
  );
  await provider.trpc.apiKeys.end.mutate(await makeKey('ended'));
  await makeKey('from elsewhere', { addresses: ['198.51.100.0/24', '2001:db8::/32'] });
  for (const nowMs of [START_MS - 86_400_000, START_MS]) {
    t.clock.nowMs = nowMs;
    await typePassword(t, provider);
    if (nowMs < START_MS) await makeKey('expired', { days: 1 });
  }
  const [spareKey] = await provider.trpc.apiKeys.list.query();
  if (!spareKey) throw new Error('the provider has no key');

  const photo = await drawPhoto();
  const made = newDevice();
  const { id } = await customer.trpc.notifications.register.mutate(made);
  const device = { id, endpoint: made.endpoint };
  const webhook = await customer.trpc.webhooks.add.mutate(NEW_WEBHOOK);
  const people = { provider, another, customer };
  return {
    contents: await t.data.readContents(),
    people,
    session,
    code,
    tip,
    given,
    tokens,
    keys,
    spareKey,
    photo,
    device,
    webhook,
  };
}

let made: ReturnType<typeof makeScene> | undefined;

/** The scene is made once, and each test gets a copy of it. */
async function openScene() {
  made ??= makeScene();
  const { contents, people, ...scene } = await made;
  const t = await createTestApp({ config: { mail: UNSENT }, data: await createTestData({ contents }) });
  const here = <Person extends { readonly token: string }>(person: Person) => ({
    ...person,
    trpc: t.trpc(person.token),
  });
  return {
    t,
    provider: here(people.provider),
    another: here(people.another),
    customer: here(people.customer),
    ...scene,
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

/** `fine`, or the code of the refusal. */
type Outcome = 'fine' | keyof typeof REFUSALS;
type Outcomes = Readonly<Record<Identity, Outcome>>;

const everybody = (outcome: Outcome): Outcomes => ({
  anonymous: outcome,
  customer: outcome,
  provider: outcome,
  'another provider': outcome,
  expired: outcome,
  revoked: outcome,
});
const SIGNED_IN: Outcomes = {
  ...everybody('fine'),
  anonymous: 'not_logged_in',
  expired: 'session_ended',
  revoked: 'session_ended',
};
const forAccounts = (outcome: Outcome) => ({
  customer: outcome,
  provider: outcome,
  'another provider': outcome,
});
const WITHOUT_A_PASSKEY: Outcomes = { ...SIGNED_IN, ...forAccounts('passkey_refused') };
const WITHOUT_A_FACTOR: Outcomes = { ...SIGNED_IN, ...forAccounts('second_factor_not_found') };
const TIPPING: Outcomes = { ...SIGNED_IN, anonymous: 'login_to_tip', provider: 'own_qr_code' };
/** Every caller asks for a code for the service barber. */
const MAKING_A_CODE: Outcomes = {
  ...SIGNED_IN,
  customer: 'providers_only',
  'another provider': 'category_not_offered',
};

/** Every caller asks to change the code of the provider. */
const CHANGING_THE_CODE: Outcomes = {
  ...SIGNED_IN,
  customer: 'qr_code_not_found',
  'another provider': 'qr_code_not_found',
};

/** Every caller asks to end a session of the customer. */
const ENDING_THE_CUSTOMERS: Outcomes = {
  ...SIGNED_IN,
  provider: 'session_not_found',
  'another provider': 'session_not_found',
};

/** Every caller asks to do something with a webhook of the customer's. */
const USING_THE_CUSTOMERS_WEBHOOK: Outcomes = {
  ...SIGNED_IN,
  provider: 'webhook_not_found',
  'another provider': 'webhook_not_found',
};

/** Nothing listens there. */
const NEW_WEBHOOK = { url: 'http://127.0.0.1:9/tips', events: ['tip.received' as const] };

/** Every caller asks to do something with a device of the customer's. */
const USING_THE_CUSTOMERS_DEVICE: Outcomes = {
  ...SIGNED_IN,
  provider: 'device_not_found',
  'another provider': 'device_not_found',
};

/** Every caller asks about their own payouts, where payments are simulated. */
const BEING_PAID: Outcomes = { ...SIGNED_IN, customer: 'providers_only' };
const OPENING_A_LINK: Outcomes = {
  ...BEING_PAID,
  provider: 'provider_not_payable',
  'another provider': 'provider_not_payable',
};

/** Every caller asks for the tip that the customer gave the provider. */
const READING_THE_TIP: Outcomes = { ...SIGNED_IN, 'another provider': 'transaction_not_found' };

/** Every caller asks to give that tip up, which was no payment at a payment service. */
const GIVING_UP_THE_TIP: Outcomes = {
  ...READING_THE_TIP,
  customer: 'transaction_not_found',
  provider: 'transaction_not_found',
};

/** Every caller asks to refund that tip; the customer, who is the first of those who may, does. */
const REFUNDING_THE_TIP: Outcomes = { ...READING_THE_TIP, provider: 'not_refundable' };

/** Every caller asks about the words of that tip, which only its receiver may. */
const RECEIVING_THE_TIP: Outcomes = {
  ...SIGNED_IN,
  customer: 'transaction_not_found',
  'another provider': 'transaction_not_found',
};

/** Every caller asks for the receipt of that tip, whose giver has not confirmed an email. */
const MAILING_THE_RECEIPT: Outcomes = {
  ...READING_THE_TIP,
  customer: 'email_unconfirmed',
  provider: 'transaction_not_found',
};

/** Every caller asks to end a key of the provider's. */
const ENDING_THE_KEY: Outcomes = {
  ...SIGNED_IN,
  customer: 'api_key_not_found',
  'another provider': 'api_key_not_found',
};

/** The token of no link. */
const NO_TOKEN = 'a'.repeat(43);

const newPerson = (turn: number) => ({
  email: `new-${turn}@example.com`,
  username: `new-${turn}`,
  password: PASSWORD,
  phone: null,
});
const CREDENTIALS = { email: 'cam@example.com', password: PASSWORD };

interface ProcedureRow {
  readonly outcomes: Outcomes;
  /** Where tRPC has no way to say what the procedure takes. */
  readonly outcomesOverTrpc?: Outcomes;
  input?(scene: Scene, turn: number): unknown;
}

const ROWS: Readonly<Record<string, ProcedureRow>> = {
  'auth.register': {
    outcomes: everybody('fine'),
    input: (_, turn) => ({ ...newPerson(turn), fullName: 'New', isServiceProvider: false }),
  },
  'auth.login': { outcomes: everybody('fine'), input: () => CREDENTIALS },
  'auth.me': { outcomes: SIGNED_IN },
  'auth.logout': { outcomes: SIGNED_IN },
  'auth.confirm': { outcomes: SIGNED_IN, input: () => ({ password: PASSWORD }) },
  'auth.forgotPassword': { outcomes: everybody('fine'), input: () => ({ email: 'cam@example.com' }) },
  'auth.resetPassword': {
    outcomes: everybody('link_ended'),
    input: () => ({ token: NO_TOKEN, newPassword: `${PASSWORD} staple` }),
  },
  'auth.confirmEmail': {
    outcomes: { ...SIGNED_IN, ...forAccounts('link_ended') },
    input: () => ({ token: NO_TOKEN }),
  },
  'auth.sendConfirmation': { outcomes: SIGNED_IN },
  'auth.mailSettings': { outcomes: SIGNED_IN },
  'auth.changeMailSettings': {
    outcomes: { ...SIGNED_IN, customer: 'providers_only' },
    input: () => ({ monthlyStatement: true }),
  },
  'auth.changePassword': {
    outcomes: SIGNED_IN,
    input: () => ({ currentPassword: PASSWORD, newPassword: `${PASSWORD} staple` }),
  },
  'auth.updateProfile': {
    outcomes: SIGNED_IN,
    input: (_, turn) => ({ fullName: 'Another Name', username: `another-${turn}` }),
  },
  'auth.close': {
    outcomes: SIGNED_IN,
    input: () => ({ currentPassword: PASSWORD, confirmation: 'close' }),
  },
  'auth.export': { outcomes: SIGNED_IN, input: () => ({ timeZone: 'Europe/Vienna' }) },
  'auth.sessions': { outcomes: SIGNED_IN },
  'auth.endOtherSessions': { outcomes: SIGNED_IN },
  'auth.endSession': { outcomes: ENDING_THE_CUSTOMERS, input: ({ session }) => ({ id: session.id }) },
  'qrCodes.list': { outcomes: SIGNED_IN },
  'qrCodes.ended': { outcomes: SIGNED_IN, input: () => ({}) },
  'qrCodes.create': { outcomes: MAKING_A_CODE, input: () => ({ serviceCategory: 'barber' }) },
  'qrCodes.lookup': { outcomes: everybody('fine'), input: ({ code }) => ({ id: code.id }) },
  'qrCodes.provider': {
    outcomes: everybody('fine'),
    input: ({ provider }) => ({ username: provider.user.username }),
  },
  'qrCodes.update': {
    outcomes: CHANGING_THE_CODE,
    input: ({ code }) => ({ id: code.id, greeting: 'Hello', status: 'paused' }),
  },
  'qrCodes.replace': {
    outcomes: { ...CHANGING_THE_CODE, customer: 'providers_only' },
    input: ({ code }) => ({ id: code.id }),
  },
  'qrCodes.setPhoto': {
    outcomes: CHANGING_THE_CODE,
    outcomesOverTrpc: {
      ...SIGNED_IN,
      customer: 'invalid_input',
      provider: 'invalid_input',
      'another provider': 'invalid_input',
    },
    input: ({ code, photo }) => ({ id: code.id, photo }),
  },
  'qrCodes.removePhoto': { outcomes: CHANGING_THE_CODE, input: ({ code }) => ({ id: code.id }) },
  'qrCodes.print': {
    outcomes: CHANGING_THE_CODE,
    input: ({ code }) => ({ id: code.id, file: 'code.svg' }),
  },
  'transactions.create': { outcomes: TIPPING, input: ({ tip }) => tip },
  'transactions.terms': { outcomes: everybody('fine'), input: () => undefined },
  'auth.announcements': { outcomes: SIGNED_IN, input: () => undefined },
  'auth.operatorActs': { outcomes: SIGNED_IN, input: () => undefined },
  'transactions.list': { outcomes: SIGNED_IN, input: () => ({}) },
  'transactions.get': { outcomes: READING_THE_TIP, input: ({ given }) => ({ id: given.id }) },
  'transactions.mailReceipt': { outcomes: MAILING_THE_RECEIPT, input: ({ given }) => ({ id: given.id }) },
  'transactions.refund': { outcomes: REFUNDING_THE_TIP, input: ({ given }) => ({ id: given.id }) },
  'transactions.giveUp': { outcomes: GIVING_UP_THE_TIP, input: ({ given }) => ({ id: given.id }) },
  'transactions.entries': { outcomes: SIGNED_IN, input: () => ({}) },
  'transactions.sums': { outcomes: SIGNED_IN, input: () => ({}) },
  'transactions.insights': {
    outcomes: SIGNED_IN,
    input: () => ({ from: '2026-05-01', to: '2026-05-31' }),
  },
  'transactions.onTip': { outcomes: SIGNED_IN },
  'transactions.summary': { outcomes: SIGNED_IN, input: () => ({ timeZone: 'UTC' }) },
  'webhooks.events': { outcomes: SIGNED_IN, input: () => ({}) },
  'webhooks.list': { outcomes: SIGNED_IN },
  'webhooks.add': { outcomes: SIGNED_IN, input: () => NEW_WEBHOOK },
  'webhooks.change': {
    outcomes: USING_THE_CUSTOMERS_WEBHOOK,
    input: ({ webhook }) => ({ id: webhook.id, isOn: false }),
  },
  'webhooks.rotate': { outcomes: USING_THE_CUSTOMERS_WEBHOOK, input: ({ webhook }) => ({ id: webhook.id }) },
  'webhooks.remove': { outcomes: USING_THE_CUSTOMERS_WEBHOOK, input: ({ webhook }) => ({ id: webhook.id }) },
  'webhooks.deliveries': {
    outcomes: USING_THE_CUSTOMERS_WEBHOOK,
    input: ({ webhook }) => ({ id: webhook.id }),
  },
  'webhooks.test': { outcomes: USING_THE_CUSTOMERS_WEBHOOK, input: ({ webhook }) => ({ id: webhook.id }) },
  'webhooks.sendAgain': {
    outcomes: { ...USING_THE_CUSTOMERS_WEBHOOK, customer: 'not_found' },
    input: ({ webhook }) => ({ id: webhook.id, eventId: 'evt_none' }),
  },
  'messages.thank': {
    outcomes: RECEIVING_THE_TIP,
    input: ({ given }) => ({ id: given.id, text: 'Thank you' }),
  },
  'messages.hide': {
    outcomes: RECEIVING_THE_TIP,
    input: ({ given }) => ({ id: given.id, hidden: true }),
  },
  'messages.report': { outcomes: RECEIVING_THE_TIP, input: ({ given }) => ({ id: given.id }) },
  'messages.block': { outcomes: RECEIVING_THE_TIP, input: ({ given }) => ({ id: given.id }) },
  'messages.unblock': {
    outcomes: {
      ...SIGNED_IN,
      customer: 'giver_not_found',
      provider: 'giver_not_found',
      'another provider': 'giver_not_found',
    },
    input: () => ({ giverId: 'gvr_none' }),
  },
  'messages.blocked': { outcomes: SIGNED_IN },
  'messages.thankYous': { outcomes: SIGNED_IN },
  'messages.saveThankYous': { outcomes: SIGNED_IN, input: () => ({ texts: ['Thank you'] }) },
  'payments.payoutStatus': { outcomes: BEING_PAID },
  'payments.balance': { outcomes: OPENING_A_LINK },
  'payments.onboard': { outcomes: OPENING_A_LINK, input: () => ({ country: 'US' }) },
  'payments.openDashboard': { outcomes: OPENING_A_LINK },
  'notifications.key': { outcomes: SIGNED_IN },
  'notifications.devices': { outcomes: SIGNED_IN },
  'notifications.register': { outcomes: SIGNED_IN, input: ({ device }) => newDevice(device.endpoint) },
  'notifications.update': {
    outcomes: USING_THE_CUSTOMERS_DEVICE,
    input: ({ device }) => ({ id: device.id, withWords: true }),
  },
  'notifications.remove': {
    outcomes: USING_THE_CUSTOMERS_DEVICE,
    input: ({ device }) => ({ id: device.id }),
  },
  // Nobody listens where the device is.
  'notifications.test': {
    outcomes: { ...USING_THE_CUSTOMERS_DEVICE, customer: 'push_unavailable' },
    input: ({ device }) => ({ id: device.id }),
  },
  // No session counts, but the proof of a notification (notification-thanks.test.ts).
  'notifications.thank': {
    outcomes: everybody('thanks_refused'),
    input: ({ device }) => ({ proof: device.id, choice: 0 }),
  },
  'apiKeys.list': { outcomes: SIGNED_IN },
  'apiKeys.create': {
    outcomes: SIGNED_IN,
    input: () => ({ name: 'Register', scopes: ['tips:read'] }),
  },
  'apiKeys.end': { outcomes: ENDING_THE_KEY, input: ({ spareKey }) => ({ id: spareKey.id }) },
  'auth.passkeyOptions': { outcomes: everybody('fine') },
  'auth.passkeyLogin': { outcomes: everybody('passkey_refused'), input: () => ({ response: '{}' }) },
  'auth.passkeyConfirmOptions': { outcomes: SIGNED_IN },
  'auth.confirmByPasskey': { outcomes: WITHOUT_A_PASSKEY, input: () => ({ response: '{}' }) },
  'secondFactors.list': { outcomes: SIGNED_IN },
  'secondFactors.passkeyOptions': { outcomes: SIGNED_IN },
  'secondFactors.addPasskey': {
    outcomes: WITHOUT_A_PASSKEY,
    input: () => ({ response: '{}', name: 'Phone' }),
  },
  'secondFactors.removePasskey': { outcomes: WITHOUT_A_FACTOR, input: () => ({ id: 'psk_none' }) },
  'secondFactors.beginTotp': { outcomes: SIGNED_IN },
  'secondFactors.confirmTotp': {
    outcomes: { ...SIGNED_IN, ...forAccounts('wrong_code') },
    input: () => ({ code: '000000' }),
  },
  'secondFactors.removeTotp': { outcomes: WITHOUT_A_FACTOR },
  'secondFactors.renewRecoveryCodes': { outcomes: WITHOUT_A_FACTOR },
};

function rowOf(procedure: string): ProcedureRow {
  const row = ROWS[procedure];
  if (!row) throw new Error(`${procedure} has no row`);
  return row;
}

/** What an API key may call, by the scope that it needs. Everything else that is not open to anybody is not for keys. */
const BY_SCOPE: Readonly<Record<ApiScope, readonly string[]>> = {
  'tips:read': ['transactions.list', 'transactions.entries', 'transactions.get', 'webhooks.events'],
  'tips:refund': ['transactions.refund'],
  'codes:read': ['qrCodes.list', 'qrCodes.ended', 'qrCodes.print'],
  'codes:write': [
    'qrCodes.create',
    'qrCodes.update',
    'qrCodes.replace',
    'qrCodes.setPhoto',
    'qrCodes.removePhoto',
  ],
  'records:read': ['transactions.sums', 'transactions.insights', 'transactions.summary'],
};

/** Open to anybody, so that nobody asks for the key. */
const isOpenToAnybody = ({ outcomes: { anonymous } }: ProcedureRow) =>
  !['not_logged_in', 'login_to_tip'].includes(anonymous);

function outcomeByKey(procedure: string, row: ProcedureRow, key: Key): Outcome {
  if (isOpenToAnybody(row)) return row.outcomes.anonymous;
  if (key === 'ended' || key === 'expired' || key === 'from elsewhere') return 'invalid_api_key';
  if (key !== 'of a later version' && BY_SCOPE[key].includes(procedure)) return 'fine';
  return Object.values(BY_SCOPE).flat().includes(procedure) ? 'missing_scope' : 'not_for_api_keys';
}

/** The outcome of the call for each caller in turn; no refusal may change anything. */
async function outcomesOf(
  scene: Scene,
  call: (token: string | undefined, turn: number) => Promise<string>,
): Promise<Record<string, string>> {
  const told: Record<string, string> = {};
  let before = await scene.t.data.dump();
  for (const [turn, identity] of IDENTITIES.entries()) {
    const outcome = await call(scene.tokens[identity], turn);
    told[identity] = outcome;
    const after = await scene.t.data.dump();
    if (outcome !== 'fine') expectSame(after, before);
    before = after;
  }
  return told;
}

test('every procedure has a row in the table of outcomes', () => {
  expect(Object.keys(ROWS).sort(), 'the rows of ROWS in this file').toEqual(
    PROCEDURES.map(({ path }) => path).sort(),
  );
});

const isRead = (procedure: string) =>
  PROCEDURES.some(({ path, type }) => path === procedure && type === 'query');

/** Asks for a procedure as each caller, and holds the outcomes against its row. */
async function expectOutcomes(scene: Scene, door: Door, procedure: string): Promise<void> {
  const { input, outcomes, outcomesOverTrpc } = rowOf(procedure);
  const told = await outcomesOf(scene, async (token, turn) => {
    const outcome = await outcomeThrough(door, scene.t, procedure, input?.(scene, turn), { token });
    return outcome?.refused?.code ?? 'fine';
  });
  expect(told, `${procedure} through ${door}`).toEqual((door === 'tRPC' && outcomesOverTrpc) || outcomes);
}

test('every procedure that reads answers each caller as it should, through both doors', async () => {
  const scene = await openScene();
  for (const procedure of Object.keys(ROWS).filter(isRead))
    for (const door of DOORS) await expectOutcomes(scene, door, procedure);
});

test.each(
  Object.keys(ROWS).filter((procedure) => !isRead(procedure)),
)('%s answers each caller as it should, through both doors', async (procedure) => {
  for (const door of DOORS) await expectOutcomes(await openScene(), door, procedure);
});

/** What changes something while the account is suspended, by the words of the description of `GET /announcements`. */
const WHILE_SUSPENDED = {
  'secured (password, sessions, second factors)': [
    'auth.logout',
    'auth.confirm',
    'auth.changePassword',
    'auth.endSession',
    'auth.endOtherSessions',
    'auth.passkeyConfirmOptions',
    'auth.confirmByPasskey',
    'secondFactors.passkeyOptions',
    'secondFactors.addPasskey',
    'secondFactors.removePasskey',
    'secondFactors.beginTotp',
    'secondFactors.confirmTotp',
    'secondFactors.removeTotp',
    'secondFactors.renewRecoveryCodes',
  ],
  'exported and closed': ['auth.export', 'auth.close'],
  'its email confirmed': ['auth.sendConfirmation', 'auth.confirmEmail'],
  'tips refunded or given up, and their receipts mailed': [
    'transactions.refund',
    'transactions.giveUp',
    'transactions.mailReceipt',
  ],
  'what was earned paid out': ['payments.onboard', 'payments.openDashboard'],
  'its API keys, webhooks and devices taken away': ['apiKeys.end', 'webhooks.remove', 'notifications.remove'],
};

describe('while the account is suspended', () => {
  test('the description says what its owner may change', async () => {
    const { send } = await createTestApp();
    const { paths } = await (await send('/api/openapi.json')).json();
    const { description } = paths['/announcements'].get;
    for (const words of Object.keys(WHILE_SUSPENDED)) expect(description).toContain(words);
  });

  const openSuspended = async () => {
    const scene = await openScene();
    for (const { user } of [scene.provider, scene.customer]) await suspendAccount(scene.t.storage, user.id);
    return scene;
  };
  const goesOn = (procedure: string) =>
    isRead(procedure) ||
    isOpenToAnybody(rowOf(procedure)) ||
    Object.values(WHILE_SUSPENDED).flat().includes(procedure);
  /** Whether a call leaves the scene as it was. */
  const isIdle = (procedure: string) => isRead(procedure) || !goesOn(procedure);

  async function expectSuspended(scene: Scene, door: Door, procedure: string): Promise<void> {
    const { t, tokens, keys } = scene;
    const row = rowOf(procedure);
    const { outcomes, outcomesOverTrpc, input } = row;
    const label = `${procedure} through ${door}`;
    if (door === 'REST' && !isOpenToAnybody(row)) {
      const options = { token: keys.get('tips:read') };
      const outcome = await outcomeThrough(door, t, procedure, input?.(scene, 0), options);
      const byScope = outcomeByKey(procedure, row, 'tips:read');
      expect(outcome?.refused?.code, label).toBe(byScope === 'fine' ? 'account_suspended' : byScope);
    }
    for (const [turn, identity] of (['customer', 'provider'] as const).entries()) {
      const expected = ((door === 'tRPC' && outcomesOverTrpc) || outcomes)[identity];
      const before = goesOn(procedure) ? null : await t.data.dump();
      const options = { token: tokens[identity] };
      const outcome = await outcomeThrough(door, t, procedure, input?.(scene, turn), options);
      expect(outcome?.refused?.code ?? 'fine', label).toBe(
        goesOn(procedure) ? expected : 'account_suspended',
      );
      if (before) expectUnchanged(await t.data.dump(), before);
    }
  }

  test('every procedure that reads does so as ever, and none changes what the owner may not', async () => {
    const scene = await openSuspended();
    for (const procedure of Object.keys(ROWS).filter(isIdle))
      for (const door of DOORS) await expectSuspended(scene, door, procedure);
  });

  test.each(
    Object.keys(ROWS).filter((procedure) => !isIdle(procedure)),
  )('%s goes on, because the owner may', async (procedure) => {
    for (const door of DOORS) await expectSuspended(await openSuspended(), door, procedure);
  });
});

describe('an API key', () => {
  const rows = Object.entries(ROWS).map(([procedure, row]) => ({
    procedure,
    row,
    outcomes: Object.fromEntries(KEYS.map((key) => [key, outcomeByKey(procedure, row, key)])),
  }));
  const isFineByOne = ({ outcomes }: (typeof rows)[number]) => Object.values(outcomes).includes('fine');

  async function outcomesByKey(scene: Scene, { procedure, row }: (typeof rows)[number]) {
    const told: Record<string, string> = {};
    let before = await scene.t.data.dump();
    for (const [turn, key] of KEYS.entries()) {
      const options = { token: scene.keys.get(key) };
      const outcome = await outcomeThrough('REST', scene.t, procedure, row.input?.(scene, turn), options);
      told[key] = outcome?.refused?.code ?? 'fine';
      const after = await scene.t.data.dump();
      if (told[key] !== 'fine') expectUnchanged(after, before);
      before = after;
    }
    return told;
  }

  test.each(
    rows.filter(isFineByOne),
  )('may at $procedure what its scope says, and nothing else', async (one) => {
    expect(await outcomesByKey(await openScene(), one)).toEqual(one.outcomes);
  });

  test('changes nothing wherever no scope lets it', async () => {
    const scene = await openScene();
    const refused = rows.filter((one) => !isFineByOne(one));
    expect(refused.length).toBeGreaterThan(0);
    const before = await scene.t.data.dump();
    for (const { procedure, row, outcomes } of refused) {
      for (const [turn, key] of KEYS.entries()) {
        const options = { token: scene.keys.get(key) };
        const outcome = await outcomeThrough('REST', scene.t, procedure, row.input?.(scene, turn), options);
        expect(outcome?.refused?.code, `${procedure} by ${key}`).toBe(outcomes[key]);
      }
      expectUnchanged(await scene.t.data.dump(), before);
    }
  });

  test('is good for nothing through tRPC', async () => {
    const scene = await openScene();
    const before = await scene.t.data.dump();
    for (const [procedure, row] of Object.entries(ROWS).filter(([, row]) => !isOpenToAnybody(row))) {
      for (const key of KEYS) {
        const options = { token: scene.keys.get(key) };
        const outcome = await outcomeThrough('tRPC', scene.t, procedure, row.input?.(scene, 0), options);
        expect(outcome?.refused?.code, procedure).toBe('not_for_api_keys');
      }
    }
    expect(await scene.t.data.dump()).toEqual(before);
  });

  test('acts as its account alone: what is another’s answers as if it did not exist', async () => {
    const { t, another, code, given } = await openScene();
    const { text: token } = await another.trpc.apiKeys.create.mutate({
      name: 'All',
      scopes: [...API_SCOPES],
    });
    for (const [procedure, input, expected] of [
      ['transactions.get', { id: given.id }, 'transaction_not_found'],
      ['transactions.refund', { id: given.id }, 'transaction_not_found'],
      ['qrCodes.update', { id: code.id, status: 'paused' }, 'qr_code_not_found'],
      ['qrCodes.replace', { id: code.id }, 'qr_code_not_found'],
      ['qrCodes.print', { id: code.id, file: 'code.svg' }, 'qr_code_not_found'],
    ] as const)
      expect(refusedBy('REST', await call('REST', t, procedure, input, { token })).code).toBe(expected);
    for (const path of ['/transactions', '/qr-codes'])
      expect(resultOf(await callRest(t, 'GET', path, undefined, { token }))).toEqual([]);
  });
});

/** As texts, which are compared in a tenth of the time; the difference is looked for where there is one. */
function expectSame(after: Dump, before: Dump): void {
  if (after !== before && JSON.stringify(after) !== JSON.stringify(before)) expect(after).toEqual(before);
}

function expectUnchanged(after: Dump, before: Dump): void {
  if (after !== before) expectSame(withoutUse(after), withoutUse(before));
}

/** A key that was refused was used all the same. */
function withoutUse({ api_keys: keys = [], ...others }: Dump): Dump {
  return { ...others, api_keys: keys.map((key) => ({ ...key, last_used_at_ms: null })) };
}

/** What belongs to an account, to one of its codes or to its ledger, and can be changed. */
const CHANGES = [
  'auth.updateProfile',
  'auth.close',
  'qrCodes.update',
  'qrCodes.replace',
  'qrCodes.setPhoto',
  'qrCodes.removePhoto',
  'transactions.refund',
  'transactions.giveUp',
  'messages.thank',
  'messages.hide',
  'messages.report',
  'messages.block',
  'messages.saveThankYous',
  'payments.onboard',
  'payments.openDashboard',
  'notifications.register',
  'notifications.update',
  'notifications.remove',
  'notifications.test',
  'webhooks.add',
  'webhooks.change',
  'webhooks.rotate',
  'webhooks.remove',
  'webhooks.test',
] as const;

test.each(
  CHANGES.filter((procedure) => procedure.startsWith('qrCodes.')),
)('%s answers of another’s code exactly what it answers of an unknown one, through both doors', async (procedure) => {
  const scene = await openScene();
  const { t, code, another, photo } = scene;
  for (const door of DOORS) {
    const ask = async (id: string) => {
      const input = { ...Object(ROWS[procedure]?.input?.(scene, 0)), id, photo };
      const { status, headers, text } = await call(door, t, procedure, input, another);
      const { requestId } = refusedBy(door, { status, headers, text });
      const shown = [...headers].filter(([name]) => name !== 'x-request-id');
      return { status, headers: shown, text: text.replaceAll(requestId, 'REQUEST') };
    };
    expect(await ask(code.id)).toEqual(await ask('0123456789'));
  }
});

test('no procedure changes anything before a password of the operator’s was changed', async () => {
  const scene = await openScene();
  const { t, provider } = scene;
  await t.data.demandNewPasswords();
  const before = await t.data.dump();
  for (const procedure of CHANGES) {
    for (const door of DOORS) {
      const answer = await call(door, t, procedure, ROWS[procedure]?.input?.(scene, 0), provider);
      expect(refusedBy(door, answer).code, `${procedure} through ${door}`).toBe('password_change_required');
    }
    expectSame(await t.data.dump(), before);
  }
});

test.each(
  DOORS,
)('%s shows a payment that is not paid to its giver alone, who may give it up', async (door) => {
  const { t, makePayable } = await createPaidApp();
  const { provider, customer, code } = await t.setTheScene();
  await makePayable(provider);
  const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
  const { id } = await customer.trpc.transactions.create.mutate(tip);
  const before = await t.data.dump();
  for (const somebody of [provider, await t.registerCustomer('dan')]) {
    const seen = await t.data.dump();
    for (const procedure of ['transactions.get', 'transactions.giveUp', 'transactions.refund']) {
      const answer = await call(door, t, procedure, { id }, somebody);
      expect(refusedBy(door, answer).code, procedure).toBe('transaction_not_found');
    }
    expect(await t.data.dump()).toEqual(seen);
  }
  expect((await t.data.dump())['payments']).toEqual(before['payments']);
  expect(resultOf(await call(door, t, 'transactions.get', { id }, customer))).toMatchObject({
    status: 'pending',
  });
  expect(resultOf(await call(door, t, 'transactions.giveUp', { id }, customer))).toMatchObject({
    status: 'expired',
  });
});

test('a REST route answers 201 where something begins, 204 where something ends, and 200 elsewhere', () => {
  const statuses = Object.fromEntries(ENDPOINTS.map(({ procedure, status }) => [procedure, status]));
  expect(statuses).toMatchObject({
    'auth.register': 201,
    'transactions.create': 201,
    'qrCodes.create': 201,
    'qrCodes.replace': 201,
    'messages.block': 204,
    'messages.unblock': 204,
    'notifications.register': 201,
    'webhooks.add': 201,
    'webhooks.remove': 204,
    'notifications.remove': 204,
    'notifications.test': 204,
    'notifications.thank': 204,
    'auth.logout': 204,
    'auth.confirm': 204,
    'auth.endSession': 204,
    'auth.endOtherSessions': 204,
    'auth.forgotPassword': 204,
    'auth.resetPassword': 204,
    'auth.confirmEmail': 204,
    'transactions.mailReceipt': 204,
    'apiKeys.create': 201,
    'apiKeys.end': 204,
    'auth.confirmByPasskey': 204,
    'secondFactors.addPasskey': 201,
    'secondFactors.removePasskey': 204,
    'secondFactors.confirmTotp': 201,
    'secondFactors.removeTotp': 204,
    'secondFactors.renewRecoveryCodes': 201,
  });
  expect(Object.values(statuses).filter((status) => status !== 200)).toHaveLength(28);
});

test('HEAD asks for the same rights as GET', async () => {
  const scene = await openScene();
  const oneTransaction = `/transactions/${scene.given.id}`;
  for (const path of [
    '/auth/me',
    '/qr-codes',
    '/transactions',
    oneTransaction,
    '/transactions/stream',
    '/auth/me/export',
  ]) {
    const statusFor = async (identity: Identity) =>
      (await callRest(scene.t, 'HEAD', path, undefined, { token: scene.tokens[identity] })).status;
    expect(await statusFor('anonymous')).toBe(401);
    expect(await statusFor('expired')).toBe(401);
    expect(await statusFor('customer')).toBe(200);
  }
  const byKey = async (path: string) =>
    (await callRest(scene.t, 'HEAD', path, undefined, { token: scene.keys.get('tips:read') })).status;
  expect([await byKey('/transactions'), await byKey('/qr-codes'), await byKey('/auth/me')]).toEqual([
    200, 403, 403,
  ]);
});

test('authorisation comes before the input is looked at', async () => {
  const scene = await openScene();
  const { t, tokens } = scene;
  for (const [name, row] of Object.entries(ROWS)) {
    // Its proof is part of the input.
    if (name === 'notifications.thank') continue;
    const outcome = await outcomeThrough('tRPC', t, name, { what: 'ever' });
    // Who has a link needs no session; the link is a part of the input.
    const isByLink = ['link_ended', 'passkey_refused'].includes(row.outcomes.anonymous);
    if (row.outcomes.anonymous !== 'fine' && !isByLink)
      expect(outcome?.refused?.code).toBe(row.outcomes.anonymous);
  }
  const wrong = { serviceCategory: 'astronaut' };
  const answer = await callTrpc(t, 'qrCodes.create', wrong, { token: tokens.customer });
  expect(refusedBy('tRPC', answer).code).toBe('providers_only');
});

const NOTHING_ARRIVING = { totalTipsReceivedArrivingCents: 0, receivedTodayArrivingCents: 0 };
const NOTHING_TODAY = { ...NOTHING_ARRIVING, receivedTodayCount: 0, receivedTodayCents: 0 };

describe('of somebody else', () => {
  test('a transaction is a cursor only for the two who took part in it', async () => {
    const { t, provider, customer, given } = await openScene();
    for (const { token } of [provider, customer]) {
      expect(resultOf(await callTrpc(t, 'transactions.list', { cursor: given.id }, { token }))).toEqual({
        transactions: [],
        nextCursor: null,
        blockedGiverIds: [],
      });
    }
  });

  test('codes, transactions and totals are in no list', async () => {
    const { t, provider, another, customer, code, tip, given } = await openScene();
    await another.trpc.transactions.create.mutate({ ...tip, amountCents: 5_000 });
    const mine = await another.trpc.qrCodes.create.mutate({ serviceCategory: 'dj' });
    const bystander = await t.registerCustomer('dan');

    const list = async (person: { token: string }) => ({
      codes: resultOf(await callRest(t, 'GET', '/qr-codes', undefined, person)),
      transactions: resultOf(await callRest(t, 'GET', '/transactions', undefined, person)),
      summary: resultOf(await callTrpc(t, 'transactions.summary', { timeZone: 'UTC' }, person)),
    });
    expect(await list(bystander)).toEqual({
      codes: [],
      transactions: [],
      summary: { totalTipsReceivedCents: 0, totalTipsGivenCents: 0, ...NOTHING_TODAY },
    });
    expect(await list(another)).toMatchObject({
      codes: [{ id: mine.id }],
      transactions: [{ amount: 50, giver_id: another.user.id }],
      summary: { totalTipsReceivedCents: 0, totalTipsGivenCents: 5_000, ...NOTHING_TODAY },
    });
    expect(await list(customer)).toMatchObject({
      codes: [],
      transactions: [{ id: given.id, amount: 20 }],
      summary: { totalTipsReceivedCents: 0, totalTipsGivenCents: 2_000, ...NOTHING_TODAY },
    });
    const all = await list(provider);
    expect(all).toMatchObject({
      codes: [{ id: code.id }],
      summary: {
        totalTipsReceivedCents: 1_940 + 4_850,
        totalTipsGivenCents: 0,
        receivedTodayCount: 2,
        receivedTodayCents: 1_940 + 4_850,
        ...NOTHING_ARRIVING,
      },
    });
    expect(all.transactions).toHaveLength(2);
    expect([(await list(another)).codes, (await list(another)).transactions]).toEqual([
      [expect.anything()],
      [expect.anything()],
    ]);
  });

  test('an account never shows, whatever the query names', async () => {
    const { t, provider, customer } = await openScene();
    for (const query of [`?id=${provider.user.id}`, `?user_id=${provider.user.id}`, '?username=pat']) {
      for (const path of ['/auth/me', '/transactions']) {
        const answer = await callRest(t, 'GET', `${path}${query}`, undefined, customer);
        expect(refusedBy('REST', answer).code).toBe('invalid_input');
      }
    }
  });

  test.each(DOORS)('the name cannot be signed under a tip (%s)', async (door) => {
    const { t, another, customer, tip } = await openScene();
    const forged = {
      ...tip,
      giverId: another.user.id,
      giver_id: another.user.id,
      receiverId: customer.user.id,
    };
    const { code, fields } = refusedBy(door, await tipThrough(door, t, forged, customer));
    expect(code).toBe('invalid_input');
    expect(fields[0]?.field).toBe(door === 'REST' ? 'giver_id' : 'giverId');
    expect(await another.trpc.auth.me.query()).toMatchObject({ totalTipsGivenCents: 0 });
  });
});
