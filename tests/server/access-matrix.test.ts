/**
 * Who may do what: every procedure and every REST route against every kind of caller. Both lists are read from the
 * product, so that one without a row here fails. What belongs to somebody else answers as if it did not exist.
 */
import { describe, expect, test } from 'vitest';
import { REST_ROUTES } from '#server/api/rest-routes.ts';
import type { REFUSALS } from '#shared/errors.ts';
import {
  PROCEDURES as ALL_PROCEDURES,
  callRest,
  callTrpc,
  DOORS,
  type Door,
  refusedBy,
  resultOf,
  tipThrough,
} from '#tests/support/both-doors.ts';
import { dump } from '#tests/support/database-dump.ts';
import { openStream, refusalOf } from '#tests/support/event-streams.ts';
import { createTestApp, PASSWORD, START_MS } from '#tests/support/test-app.ts';

const IDENTITIES = ['anonymous', 'customer', 'provider', 'another provider', 'expired', 'revoked'] as const;
type Identity = (typeof IDENTITIES)[number];

/** Pat tends the bar and cuts hair, with a code for the bar; Quinn is a DJ without a code. */
async function openScene() {
  const t = await createTestApp();
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
  const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
  const given = await customer.trpc.transactions.create.mutate(tip);
  const tokens: Readonly<Record<Identity, string | undefined>> = {
    anonymous: undefined,
    customer: customer.token,
    provider: provider.token,
    'another provider': another.token,
    expired,
    revoked,
  };
  return { t, provider, another, customer, session, code, tip, given, tokens };
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
const TIPPING: Outcomes = { ...SIGNED_IN, anonymous: 'login_to_tip', provider: 'own_qr_code' };
/** Every caller asks for a code for the service barber. */
const MAKING_A_CODE: Outcomes = {
  ...SIGNED_IN,
  customer: 'providers_only',
  'another provider': 'category_not_offered',
};

/** Every caller asks to end a session of the customer. */
const ENDING_THE_CUSTOMERS: Outcomes = {
  ...SIGNED_IN,
  provider: 'session_not_found',
  'another provider': 'session_not_found',
};

const newPerson = (turn: number) => ({
  email: `new-${turn}@example.com`,
  username: `new-${turn}`,
  password: PASSWORD,
  phone: null,
});
const CREDENTIALS = { email: 'cam@example.com', password: PASSWORD };

interface ProcedureRow {
  readonly outcomes: Outcomes;
  input?(scene: Scene, turn: number): unknown;
}

const PROCEDURES: Readonly<Record<string, ProcedureRow>> = {
  'auth.register': {
    outcomes: everybody('fine'),
    input: (_, turn) => ({ ...newPerson(turn), fullName: 'New', isServiceProvider: false }),
  },
  'auth.login': { outcomes: everybody('fine'), input: () => CREDENTIALS },
  'auth.me': { outcomes: SIGNED_IN },
  'auth.logout': { outcomes: SIGNED_IN },
  'auth.changePassword': {
    outcomes: SIGNED_IN,
    input: () => ({ currentPassword: PASSWORD, newPassword: `${PASSWORD} staple` }),
  },
  'auth.sessions': { outcomes: SIGNED_IN },
  'auth.endOtherSessions': { outcomes: SIGNED_IN },
  'auth.endSession': { outcomes: ENDING_THE_CUSTOMERS, input: ({ session }) => ({ id: session.id }) },
  'qrCodes.list': { outcomes: SIGNED_IN },
  'qrCodes.create': { outcomes: MAKING_A_CODE, input: () => ({ serviceCategory: 'barber' }) },
  'qrCodes.lookup': { outcomes: everybody('fine'), input: ({ code }) => ({ id: code.id }) },
  'transactions.create': { outcomes: TIPPING, input: ({ tip }) => tip },
  'transactions.list': { outcomes: SIGNED_IN, input: () => ({}) },
  'transactions.onTip': { outcomes: SIGNED_IN },
  'transactions.summary': { outcomes: SIGNED_IN, input: () => ({ timeZone: 'UTC' }) },
};

interface RouteRow {
  readonly outcomes: Outcomes;
  readonly status: number;
  path?(scene: Scene): string;
  body?(scene: Scene, turn: number): unknown;
}

const ROUTES: Readonly<Record<string, RouteRow>> = {
  'POST /auth/register': {
    outcomes: everybody('fine'),
    status: 201,
    body: (_, turn) => ({ ...newPerson(turn), full_name: 'New', is_service_provider: false }),
  },
  'POST /auth/login': { outcomes: everybody('fine'), status: 200, body: () => CREDENTIALS },
  'POST /auth/logout': { outcomes: SIGNED_IN, status: 204, body: () => ({}) },
  'GET /auth/me': { outcomes: SIGNED_IN, status: 200 },
  'POST /auth/password': {
    outcomes: SIGNED_IN,
    status: 200,
    body: () => ({ current_password: PASSWORD, new_password: `${PASSWORD} staple` }),
  },
  'GET /auth/sessions': { outcomes: SIGNED_IN, status: 200 },
  'DELETE /auth/sessions': { outcomes: SIGNED_IN, status: 204 },
  'DELETE /auth/sessions/:sessionId': {
    outcomes: ENDING_THE_CUSTOMERS,
    status: 204,
    path: ({ session }) => `/auth/sessions/${session.id}`,
  },
  'GET /qr-codes': { outcomes: SIGNED_IN, status: 200 },
  'POST /qr-codes': { outcomes: MAKING_A_CODE, status: 201, body: () => ({ service_category: 'barber' }) },
  'GET /qr-codes/:qrId': {
    outcomes: everybody('fine'),
    status: 200,
    path: ({ code }) => `/qr-codes/${code.id}`,
  },
  'GET /transactions': { outcomes: SIGNED_IN, status: 200 },
  'GET /transactions/stream': { outcomes: SIGNED_IN, status: 200 },
  'POST /transactions': {
    outcomes: TIPPING,
    status: 201,
    body: ({ code }) => ({ receiver_qr_id: code.id, amount: 20, service_category: 'bartender' }),
  },
};

/** The outcome of the call for each caller in turn; no refusal may change anything. */
async function outcomesOf(
  scene: Scene,
  call: (token: string | undefined, turn: number) => Promise<string>,
): Promise<Record<string, string>> {
  const told: Record<string, string> = {};
  for (const [turn, identity] of IDENTITIES.entries()) {
    const before = dump(scene.t.database);
    const outcome = await call(scene.tokens[identity], turn);
    told[identity] = outcome;
    if (outcome !== 'fine') expect(dump(scene.t.database)).toEqual(before);
  }
  return told;
}

/** `fine` when the stream was granted; it is closed again. */
async function streamOutcome({ t }: Scene, door: Door, token: string | undefined): Promise<string> {
  const stream = await openStream(t.send, door, { token });
  return (await refusalOf(t, stream, 0))?.code ?? 'fine';
}

const isStream = (procedure: string) =>
  ALL_PROCEDURES.some(({ path, type }) => path === procedure && type === 'subscription');

describe('procedures', () => {
  test('all have a row in the table of outcomes', () => {
    expect(Object.keys(PROCEDURES).sort()).toEqual(ALL_PROCEDURES.map(({ path }) => path).sort());
  });

  test.each(Object.keys(PROCEDURES))('%s answers each caller as it should', async (name) => {
    const scene = await openScene();
    const row = PROCEDURES[name];
    const told = await outcomesOf(scene, async (token, turn) => {
      if (isStream(name)) return streamOutcome(scene, 'tRPC', token);
      const answer = await callTrpc(scene.t, name, row?.input?.(scene, turn), { token });
      return answer.status === 200 ? 'fine' : refusedBy('tRPC', answer).code;
    });
    expect(told).toEqual(row?.outcomes);
  });
});

describe('REST routes', () => {
  test('all have a row in the table of outcomes', () => {
    const routes = REST_ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(ROUTES).sort()).toEqual(routes.sort());
  });

  test.each(Object.keys(ROUTES))('%s answers each caller as it should', async (name) => {
    const scene = await openScene();
    const row = ROUTES[name];
    const [method = '', pattern = ''] = name.split(' ');
    const path = row?.path?.(scene) ?? pattern;
    const isStreamed = REST_ROUTES.some((route) => route.isStream && route.path === pattern);
    const told = await outcomesOf(scene, async (token, turn) => {
      if (isStreamed) return streamOutcome(scene, 'REST', token);
      const answer = await callRest(scene.t, method, path, row?.body?.(scene, turn), { token });
      return answer.status === row?.status ? 'fine' : refusedBy('REST', answer).code;
    });
    expect(told).toEqual(row?.outcomes);
  });

  test('allow each caller what their procedures allow', () => {
    for (const { method, path, procedure } of REST_ROUTES) {
      expect(ROUTES[`${method} ${path}`]?.outcomes).toEqual(PROCEDURES[procedure]?.outcomes);
    }
  });

  test('HEAD asks for the same rights as GET', async () => {
    const scene = await openScene();
    for (const path of ['/auth/me', '/qr-codes', '/transactions', '/transactions/stream']) {
      const statusFor = async (identity: Identity) =>
        (await callRest(scene.t, 'HEAD', path, undefined, { token: scene.tokens[identity] })).status;
      expect(await statusFor('anonymous')).toBe(401);
      expect(await statusFor('expired')).toBe(401);
      expect(await statusFor('customer')).toBe(200);
    }
  });
});

test('authorisation comes before the input is looked at', async () => {
  const scene = await openScene();
  const { t, tokens } = scene;
  for (const [name, row] of Object.entries(PROCEDURES)) {
    if (isStream(name)) {
      const stream = await openStream(t.send, 'tRPC', { lastEventId: 'what ever' });
      expect((await refusalOf(t, stream, 0))?.code).toBe(row.outcomes.anonymous);
      continue;
    }
    const first = await callTrpc(t, name, { what: 'ever' });
    if (row.outcomes.anonymous !== 'fine') {
      expect(refusedBy('tRPC', first).code).toBe(row.outcomes.anonymous);
    }
  }
  const wrong = { serviceCategory: 'astronaut' };
  const answer = await callTrpc(t, 'qrCodes.create', wrong, { token: tokens.customer });
  expect(refusedBy('tRPC', answer).code).toBe('providers_only');
});

describe('of somebody else', () => {
  test('a transaction is a cursor only for the two who took part in it', async () => {
    const { t, provider, customer, given } = await openScene();
    for (const { token } of [provider, customer]) {
      expect(resultOf(await callTrpc(t, 'transactions.list', { cursor: given.id }, { token }))).toEqual({
        transactions: [],
        nextCursor: null,
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
      summary: { totalTipsReceivedCents: 0, totalTipsGivenCents: 0, receivedTodayCount: 0 },
    });
    expect(await list(another)).toMatchObject({
      codes: [{ id: mine.id }],
      transactions: [{ amount: 50, giver_id: another.user.id }],
      summary: { totalTipsReceivedCents: 0, totalTipsGivenCents: 5_000, receivedTodayCount: 0 },
    });
    expect(await list(customer)).toMatchObject({
      codes: [],
      transactions: [{ id: given.id, amount: 20 }],
      summary: { totalTipsReceivedCents: 0, totalTipsGivenCents: 2_000, receivedTodayCount: 0 },
    });
    const all = await list(provider);
    expect(all).toMatchObject({
      codes: [{ id: code.id }],
      summary: { totalTipsReceivedCents: 1_940 + 4_850, totalTipsGivenCents: 0, receivedTodayCount: 2 },
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
      const me = await callRest(t, 'GET', `/auth/me${query}`, undefined, customer);
      expect(resultOf(me)).toMatchObject({ username: 'cam' });
      const transactions = await callRest(t, 'GET', `/transactions${query}`, undefined, customer);
      expect(resultOf(transactions)).toMatchObject([{ giver_id: customer.user.id }]);
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
    const answer = await tipThrough(door, t, forged, customer);
    const name = door === 'REST' ? 'giver_id' : 'giverId';
    expect(resultOf(answer)).toMatchObject({ [name]: customer.user.id });
    expect(await another.trpc.auth.me.query()).toMatchObject({ totalTipsGivenCents: 0 });
  });
});
